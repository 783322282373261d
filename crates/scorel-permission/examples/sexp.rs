use std::io::Read;
fn main() {
    let mut s = String::new();
    std::io::stdin().read_to_string(&mut s).unwrap();
    let mut p = tree_sitter::Parser::new();
    p.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    for part in s.split("\n====\n") {
        let t = p.parse(part, None).unwrap();
        println!("{part}\n   {}", t.root_node().to_sexp());
    }
}
