//! The smallest expression that still shows a mistake.

use super::Tree;

/// Removes nodes of an expression for as long as what is left still `fails`.
pub fn shrunk(mut tree: Tree, fails: impl Fn(&Tree) -> bool) -> Tree {
    while let Some(next) = smaller(&tree).into_iter().find(&fails) {
        tree = next;
    }
    tree
}

/// The expression with one node less, in each way. They need not be filters.
fn smaller(tree: &Tree) -> Vec<Tree> {
    match tree {
        Tree::Integer(_) | Tree::Double(_) | Tree::Name(_) => Vec::new(),
        Tree::Text(pieces) => (0..pieces.len())
            .map(|without| {
                let mut pieces = pieces.clone();
                pieces.remove(without);
                Tree::Text(pieces)
            })
            .collect(),
        Tree::Unary(operator, of) => {
            let inside = smaller(of).into_iter();
            let mut all = vec![(**of).clone()];
            all.extend(inside.map(|of| Tree::Unary(*operator, Box::new(of))));
            all
        }
        Tree::Binary(operator, left, right) => {
            let both = |left, right| Tree::Binary(*operator, Box::new(left), Box::new(right));
            let mut all = vec![(**left).clone(), (**right).clone()];
            all.extend(
                smaller(left)
                    .into_iter()
                    .map(|left| both(left, (**right).clone())),
            );
            all.extend(
                smaller(right)
                    .into_iter()
                    .map(|right| both((**left).clone(), right)),
            );
            all
        }
    }
}
