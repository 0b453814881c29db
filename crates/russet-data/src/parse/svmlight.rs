//! svmlight: `label [qid:n] number:value ... # comment`. Numbers may start at 0 or 1; each is its own name.

use russet::batch::{Batch, Code, Label};
use russet::feature::Namespace;

use super::{Context, Fault, not_finite};
use crate::number;

/// Reads one line as one example; a line that is empty or only a comment is none.
pub(super) fn line(line: &[u8], number: u64, context: &mut Context<'_>, batch: &mut Batch) -> Result<(), Fault> {
    let content = memchr::memchr(b'#', line).map_or(line, |comment| &line[..comment]);
    let place = |word: &[u8]| word.as_ptr() as usize - line.as_ptr() as usize;
    let mut words = content.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let Some(label) = words.next() else { return Ok(()) };
    let value = number::parse_whole(label)
        .filter(|value| value.is_finite())
        .ok_or_else(|| not_finite(place(label), "label", label))?;
    for word in words {
        let (index, value) = pair(word, place(word))?;
        if index != b"qid" && value != 0.0 {
            push(index, place(word), value, context, batch)?;
        }
    }
    batch.end_example(Label::new(value), b"", number);
    Ok(())
}

fn pair(word: &[u8], at: usize) -> Result<(&[u8], f32), Fault> {
    let colon = memchr::memchr(b':', word).ok_or_else(|| Fault::expected(at, "feature", word, "`number:value`"))?;
    let (index, value) = (&word[..colon], &word[colon + 1..]);
    let value = number::parse_whole(value)
        .filter(|value| value.is_finite())
        .ok_or_else(|| not_finite(at + colon + 1, "feature value", value))?;
    Ok((index, value))
}

fn push(index: &[u8], at: usize, value: f32, context: &mut Context<'_>, batch: &mut Batch) -> Result<(), Fault> {
    let number = std::str::from_utf8(index).ok().and_then(|text| text.parse::<u64>().ok());
    let number = number.ok_or_else(|| Fault::expected(at, "feature", index, "a whole number, 0 or more"))?;
    if number < u64::from(Code::NUMBERS) {
        batch.push_number(number as u32, value);
        return Ok(());
    }
    let id = Namespace::ANONYMOUS.numbered(number);
    let index = context.dictionary.index(batch, id, |names| names.push(number.to_string().as_bytes()));
    batch.push(index, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::parse::tests::{read, read_error};
    use russet::batch::Label;

    #[test]
    fn comments_queries_and_both_bases() {
        let seen = read(Format::Svmlight, "# head\n+1 qid:3 0:0.5 7:1 # tail 8:1\n\n-1 1:2\n", true);
        assert_eq!(seen.len(), 2);
        assert_eq!(seen[0].features, [("0".to_owned(), 0.5), ("7".to_owned(), 1.0)]);
        assert_eq!(seen[1].label, Label::new(-1.0));
    }

    #[test]
    fn faults_name_their_place() {
        let error = |text| read_error(Format::Svmlight, text);
        assert_eq!(error("x 1:2\n"), "test:1:1: label is `x`; expected a finite number");
        assert_eq!(error("1 1:nan\n"), "test:1:5: feature value is `nan`; expected a finite number");
        assert_eq!(error("1 a:1\n"), "test:1:3: feature is `a`; expected a whole number, 0 or more");
        assert_eq!(error("1 2\n"), "test:1:3: feature is `2`; expected `number:value`");
    }
}
