//! Accounts made up to tell rows and chains apart; real builds are tested in `backend/`.

use super::*;

fn account(divisibility: Option<u32>, stages: &str, copies: u64) -> Account {
    let attributes = divisibility.map(|by| ("tt.divisibility".to_owned(), format!("{by} : i32")));
    let argument = |name: &str, kind: &str| Argument {
        name: name.to_owned(),
        r#type: kind.to_owned(),
        attributes: attributes.clone().into_iter().collect(),
    };
    Account {
        arguments: Some(vec![argument("a_ptr", "!tt.ptr<f16>"), argument("M", "i32")]),
        options: [("num_stages".to_owned(), stages.to_owned())].into(),
        decisions: None,
        operands: Some([("cp.async bytes=16".to_owned(), copies)].into()),
    }
}

#[test]
fn what_differs_stands_on_top_in_the_order_of_the_compiler() {
    let told = explain(&[Some(account(Some(16), "4", 22)), Some(account(None, "4", 0)), None]);
    let differing: Vec<(Aspect, String)> =
        told.rows.iter().filter(|row| row.differs()).map(|row| (row.aspect, row.subject())).collect();
    assert_eq!(
        differing,
        [(Aspect::Argument, "a_ptr, M".to_owned()), (Aspect::AsyncCopies, "cp.async bytes=16".to_owned())]
    );
    assert_eq!(told.rows[0].values[2], None, "a build that is not there says nothing");
    assert!(told.rows.iter().any(|row| row.aspect == Aspect::Option && !row.differs()));
    assert_eq!(
        told.chains[1],
        ["a_ptr, M: tt.divisibility = 16 → nothing known", "asynchronous copies: 22 of 16 bytes → none"]
    );
    assert_eq!((told.chains[0].len(), told.chains[2].len()), (0, 0));
}

#[test]
fn a_specialised_argument_is_told_from_an_unknown_one() {
    let mut other = account(Some(16), "4", 22);
    other.arguments.iter_mut().flatten().for_each(|argument| argument.r#type = "i64".to_owned());
    other.arguments.as_mut().expect("arguments").pop();
    let told = explain(&[Some(account(Some(16), "4", 22)), Some(other)]);
    let rows: Vec<_> =
        told.rows.iter().filter(|row| row.differs()).map(|row| (row.subject(), &row.values[1])).collect();
    assert_eq!(
        rows,
        [
            ("a_ptr".to_owned(), &Some("i64: tt.divisibility = 16".to_owned())),
            ("M".to_owned(), &Some("a constant, no argument".to_owned()))
        ]
    );
}

#[test]
fn arguments_without_names_are_matched_by_their_place_or_not_at_all() {
    let mut unnamed = account(Some(16), "4", 22);
    for (n, argument) in unnamed.arguments.iter_mut().flatten().enumerate() {
        argument.name = format!("arg{n}");
    }
    let told = explain(&[Some(unnamed.clone()), Some(account(None, "4", 22))]);
    assert_eq!(told.chains[1], ["a_ptr, M: tt.divisibility = 16 → nothing known"]);
    unnamed.arguments.as_mut().expect("arguments").pop();
    let told = explain(&[Some(unnamed), Some(account(None, "4", 22))]);
    assert!(told.rows.iter().all(|row| !row.differs()), "{:?}", told.rows);
}

#[test]
fn equal_builds_have_no_chain() {
    let told = explain(&[Some(account(Some(16), "4", 22)), Some(account(Some(16), "4", 22))]);
    assert!(told.rows.iter().all(|row| !row.differs()));
    assert!(told.chains.iter().all(Vec::is_empty));
}
