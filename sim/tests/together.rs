//! What is simulated besides seeds and stories, all in one program: each file by itself would have the whole cache compiled
//! once more.

mod check;
mod curve;
mod patience;
mod races;
