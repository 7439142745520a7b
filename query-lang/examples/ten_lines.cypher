MATCH (person:Person {city: $city})-[works:WORKS_AT]->(company:Company)
WHERE person.age >= 18 AND company.founded < 2000 AND NOT person:Retired
OPTIONAL MATCH (person)-[:KNOWS*1..3]-(friend:Person)
WITH person, company, works, collect(DISTINCT friend.name) AS friends, count(*) AS paths
WHERE size(friends) > 2 OR person.name STARTS WITH 'A'
UNWIND friends AS name
CALL (person) { MATCH (person)-[:LIKES]->(thing) RETURN collect(thing {.name, .price}) AS things }
WITH person, company, name, things, reduce(total = 0.0, t IN things | total + t.price) AS total
RETURN person.name AS person, company.name AS company, [x IN things WHERE x.price > 10 | x.name] AS liked, total
ORDER BY total DESC, person.name LIMIT 25
