//! The whole interface: everything that is served is described.

use serde_json::Value;

use super::openapi;

fn document() -> Value {
    serde_json::from_str(openapi::text()).expect("it is JSON")
}

/// Returns every `$ref` in a document.
fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(object) => {
            let own = object.get("$ref").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(object.values().flat_map(references)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn a_route_of_the_interface_comes_with_its_description() {
    // Routes of `routes!` are served and described at once; a route that is added otherwise is not described.
    for bare in [".route(\"/v1", ".nest(", ".route_service("] {
        assert!(!include_str!("mod.rs").contains(bare), "add it to described(): {bare}");
    }
    let described = document()["paths"].as_object().expect("it has paths").len();
    assert_eq!(described, include_str!("mod.rs").matches(".routes(routes!(").count());
}

#[test]
fn every_reference_of_the_document_leads_somewhere() {
    let document = document();
    let all = references(&document);
    assert!(all.len() > 20, "{all:?}");
    for reference in all {
        let place = reference.strip_prefix('#').expect("it is in this document");
        assert!(document.pointer(place).is_some(), "{reference}");
    }
}

#[test]
fn every_operation_says_what_it_does_what_a_failure_is_and_who_may_do_it() {
    for (path, item) in document()["paths"].as_object().expect("it has paths") {
        for (method, operation) in item.as_object().expect("it has operations") {
            assert!(operation["summary"].is_string(), "{method} {path} says nothing");
            let problem = &operation["responses"]["default"]["content"]["application/problem+json"];
            assert!(problem["schema"]["$ref"].is_string(), "{method} {path}");
            let token = operation["security"][0].get("token");
            assert_eq!(token.is_some(), method != "get", "{method} {path}");
        }
    }
}

#[test]
fn objects_whose_keys_stand_in_tables_are_described_key_by_key() {
    let document = document();
    for (name, key) in [
        ("Settings", "dirty-limit"),
        ("Counts", "reads"),
        ("Latencies", "write"),
        ("OfLatencies", "read_miss"),
    ] {
        let object = &document["components"]["schemas"][name];
        assert!(object["properties"][key]["type"].is_string(), "{name} lacks {key}: {object}");
        assert!(object.get("additionalProperties").is_none(), "{name} has other keys too");
    }
}
