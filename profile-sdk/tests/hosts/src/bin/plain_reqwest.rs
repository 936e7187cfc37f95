//! reqwest without its default features.

fn main() {
    hosts::print_twice(hosts::http_request);
}
