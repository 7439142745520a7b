//! What titles and the names of Chinese bodies look like.

use super::super::reply::folded;

/// What the names of bodies, laws and places of China end with.
pub(super) const BODIES: [&str; 26] = [
    "公司",
    "集团",
    "银行",
    "大学",
    "学院",
    "医院",
    "委员会",
    "政府",
    "法院",
    "机关",
    "机构",
    "中心",
    "协会",
    "基金",
    "部门",
    "单位",
    "办公室",
    "条例",
    "办法",
    "规定",
    "准则",
    "制度",
    "人民共和国",
    "财政部",
    "审计署",
    "项目",
];

/// Titles that say nothing of what is under them.
const GENERAL: [&str; 40] = [
    "introduction",
    "overview",
    "summary",
    "conclusion",
    "conclusions",
    "background",
    "contents",
    "table of contents",
    "appendix",
    "annex",
    "references",
    "abstract",
    "notes",
    "general",
    "other",
    "discussion",
    "results",
    "methods",
    "introduzione",
    "premessa",
    "sommario",
    "indice",
    "conclusioni",
    "allegati",
    "allegato",
    "bibliografia",
    "note",
    "generalità",
    "目录",
    "总则",
    "附则",
    "前言",
    "引言",
    "概述",
    "摘要",
    "结论",
    "附录",
    "参考文献",
    "小结",
    "正文",
];

/// What a title calls what is under it: without the number before and the brackets behind, which tell things of one name
/// apart. Nothing for titles that say nothing by themselves.
pub(crate) fn telling_title(title: &str) -> Option<&str> {
    let title = without_number(title);
    let title = match title.rfind(['(', '（']) {
        Some(at) if at > 0 && title.ends_with([')', '）']) => title[..at].trim_end(),
        _ => title,
    };
    says(title).then_some(title)
}

/// Whether a title says anything by itself.
pub(super) fn says(title: &str) -> bool {
    title.chars().filter(|sign| sign.is_alphabetic()).count() >= 2
        && title.chars().count() <= 60
        && !GENERAL.contains(&folded(title).as_str())
}

/// A title without the number before it.
pub(super) fn without_number(title: &str) -> &str {
    let rest =
        title.trim_start_matches(|sign: char| sign.is_ascii_digit() || ". )(（）、".contains(sign));
    rest.trim()
}
