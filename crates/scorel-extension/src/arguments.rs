//! Arguments in the text of a command.

/// Where all arguments go.
const ALL: &str = "$ARGUMENTS";

/// The text with its arguments in place. What an argument says is not looked at again. Arguments that the text names
/// nowhere are put below it.
pub fn expand_arguments(text: &str, arguments: &str) -> String {
    let arguments = arguments.trim();
    let words = words(arguments);
    let mut expanded = String::with_capacity(text.len() + arguments.len());
    let (mut rest, mut is_used) = (text, false);
    while let Some(start) = rest.find('$') {
        let (before, from) = rest.split_at(start);
        expanded.push_str(before);
        let digit = from[1..].chars().next().and_then(|it| it.to_digit(10));
        if let Some(after) = from.strip_prefix(ALL) {
            expanded.push_str(arguments);
            (rest, is_used) = (after, true);
        } else if let Some(number @ 1..) = digit {
            let word = words.get(number as usize - 1);
            expanded.push_str(word.map_or("", String::as_str));
            (rest, is_used) = (&from[2..], true);
        } else {
            expanded.push('$');
            rest = &from[1..];
        }
    }
    expanded.push_str(rest);
    let expanded = expanded.trim();
    match is_used || arguments.is_empty() {
        true => expanded.to_owned(),
        false => format!("{expanded}\n\nArguments: {arguments}"),
    }
}

/// The words, as a shell would cut them: quotes keep blanks.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for char in text.chars() {
        match quote {
            Some(open) if char == open => quote = None,
            None if char == '"' || char == '\'' => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            None if char.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_go_where_the_text_names_them() {
        for (text, arguments, expected) in [
            ("Fix $ARGUMENTS now.", " a b ", "Fix a b now."),
            (
                "$2 before $1, not $3.",
                "one 'two words'",
                "two words before one, not .",
            ),
            ("$1", "$2 $ARGUMENTS", "$2"),
            ("Costs $0 or $x, $", "", "Costs $0 or $x, $"),
            ("Do it.", "", "Do it."),
            ("Do it.\n", "well", "Do it.\n\nArguments: well"),
            ("$1|$2", "\"\" ''x\"y z\"", "|xy z"),
        ] {
            assert_eq!(expand_arguments(text, arguments), expected, "{text}");
        }
    }
}
