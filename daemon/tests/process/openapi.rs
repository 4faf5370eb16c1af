//! The OpenAPI document, compared with answers of a real daemon.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Map, Value, json};

use crate::browser::{Browser, serve};
use crate::host::{Host, forebay};

const MIB: u64 = 1 << 20;

/// Schemas of a document.
struct Schemas<'a>(&'a Value);

impl Schemas<'_> {
    /// Resolves a reference to a schema.
    fn resolved<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let Some(name) = schema["$ref"].as_str() else { return schema };
        let name = name.strip_prefix("#/components/schemas/").expect("only schemas are referred to");
        let found = &self.0["components"]["schemas"][name];
        assert!(found.is_object(), "there is no schema {name}");
        found
    }

    /// Returns the properties of an object, and the required ones.
    fn properties(&self, schema: &Value) -> (Map<String, Value>, BTreeSet<String>) {
        let schema = self.resolved(schema);
        let mut all = schema["properties"].as_object().cloned().unwrap_or_default();
        let required = schema["required"].as_array().into_iter().flatten();
        let mut required: BTreeSet<String> =
            required.map(|key| key.as_str().expect("a key").to_owned()).collect();
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let (properties, more) = self.properties(part);
            all.extend(properties);
            required.extend(more);
        }
        (all, required)
    }

    /// Returns differences between `value` and `schema`. Keys that it does not name count too.
    fn wrong(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let schema = self.resolved(schema);
        if let Some(choices) = schema["oneOf"].as_array() {
            let tried: Vec<_> = choices.iter().map(|choice| self.wrong(choice, value, at)).collect();
            if tried.iter().filter(|wrong| wrong.is_empty()).count() == 1 {
                return Vec::new();
            }
            return tried.concat();
        }
        if schema.as_object().is_some_and(Map::is_empty) {
            // Anything.
            return Vec::new();
        }
        let kind = kind(value);
        let types = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            Value::String(one) => vec![one.as_str()],
            _ if schema["allOf"].is_array() => vec!["object"],
            other => return vec![format!("{at}: no type that is known: {other}")],
        };
        let is_right = types.contains(&kind) || kind == "integer" && types.contains(&"number");
        if !is_right {
            return vec![format!("{at}: {value} is no {types:?}")];
        }
        if let Some(words) = schema["enum"].as_array()
            && !words.contains(value)
        {
            return vec![format!("{at}: {value} is none of {words:?}")];
        }
        match value {
            Value::Array(items) => {
                items.iter().flat_map(|item| self.wrong(&schema["items"], item, &format!("{at}[]"))).collect()
            }
            Value::Object(object) => self.wrong_object(schema, object, at),
            _ => Vec::new(),
        }
    }

    fn wrong_object(&self, schema: &Value, object: &Map<String, Value>, at: &str) -> Vec<String> {
        let (properties, required) = self.properties(schema);
        let missing = required.iter().filter(|key| !object.contains_key(*key));
        let mut wrong: Vec<String> = missing.map(|key| format!("{at}.{key} is missing")).collect();
        for (key, value) in object {
            match properties.get(key) {
                Some(schema) => wrong.extend(self.wrong(schema, value, &format!("{at}.{key}"))),
                None if schema["additionalProperties"].is_object() => {}
                None => wrong.push(format!("{at}.{key} is not described")),
            }
        }
        wrong
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the schema of an operation's answer.
fn schema_of(operation: &Value) -> &Value {
    &operation["responses"]["200"]["content"]["application/json"]["schema"]
}

#[test]
fn every_document_that_a_daemon_answers_with_is_as_described() {
    let host = Host::new();
    let (a, b) = (host.image("a.img", 16 * MIB), host.image("b.img", 16 * MIB));
    let daemon = serve(&host);
    daemon.run(&["disk", "add", "a", "--backing", &a]).succeeded();
    daemon.run(&["disk", "add", "b", "--backing", &b, "--mode", "write-back"]).succeeded();
    assert!(daemon.stop().success());
    fs::remove_file(&b).expect("the folder is ours");
    // One disk is served and was used, and one waits.
    let daemon = serve(&host);
    let mut guest = daemon.guest("a");
    guest.write(0, &[1; 4096]).expect("the disk is served");
    guest.read(0, 4096).expect("the disk is served");

    let browser = Browser::of(&daemon);
    let document = browser.get("/openapi.json").json();
    let schemas = Schemas(&document);
    let mut looked_at = 0;
    for (path, item) in document["paths"].as_object().expect("it has paths") {
        if item["get"].is_null() || !path.starts_with("/v1/") {
            continue;
        }
        for name in ["a", "b"] {
            let answer = browser.get(&path.replace("{name}", name));
            if answer.status != 200 {
                let problem = json!({ "$ref": "#/components/schemas/ProblemDocument" });
                assert_eq!(schemas.wrong(&problem, &answer.json(), path), Vec::<String>::new());
                continue;
            }
            let wrong = schemas.wrong(schema_of(&item["get"]), &answer.json(), path);
            assert!(wrong.is_empty(), "{path} of {name}: {wrong:#?}");
            looked_at += 1;
        }
    }
    assert!(looked_at >= 10, "{looked_at}");
}

#[test]
fn changes_answer_with_what_is_described_and_need_the_token_where_they_say_so() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = serve(&host);
    let owner = Browser::with_token(&host, &daemon);
    let document = owner.get("/openapi.json").json();
    let schemas = Schemas(&document);
    let bodies = [
        ("post", "/v1/disks", json!({ "name": "a", "backing": image, "settings": { "mode": "write-back" } })),
        ("patch", "/v1/disks/{name}", json!({ "settings": { "ram": "2MiB" } })),
        ("post", "/v1/disks/{name}/destage", Value::Null),
        ("delete", "/v1/disks/{name}/destage", Value::Null),
        ("post", "/v1/disks/{name}/quiesce", json!({ "seconds": 1 })),
        ("post", "/v1/disks/{name}/resume", json!({ "number": 99 })),
        ("post", "/v1/disks/{name}/resume", Value::Null),
        ("post", "/v1/disks/{name}/evict", Value::Null),
        ("delete", "/v1/disks/{name}", Value::Null),
    ];
    for (method, path, body) in bodies {
        let operation = &document["paths"][path][method];
        assert_eq!(operation["security"], json!([{ "token": [] }]), "{method} {path}");
        let target = path.replace("{name}", "a");
        let answer = if body.is_null() {
            owner.ask(&method.to_uppercase(), &target, "")
        } else {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            assert_eq!(schemas.wrong(schema, &body, path), Vec::<String>::new());
            owner.send(&method.to_uppercase(), &target, &body.to_string())
        };
        assert_eq!(answer.status, 200, "{method} {path}: {answer:?}");
        let wrong = schemas.wrong(schema_of(operation), &answer.json(), path);
        assert!(wrong.is_empty(), "{method} {path}: {wrong:#?}");
    }
}

#[test]
fn the_document_is_generated_as_it_is_served() {
    let host = Host::new();
    let daemon = serve(&host);
    forebay(&["generate", &host.text("g")]).succeeded();
    let generated = fs::read_to_string(host.path("g/openapi.json")).expect("it was generated");
    assert_eq!(Browser::of(&daemon).get("/openapi.json").body, generated.trim_end());
    let document: Value = serde_json::from_str(&generated).expect("it is JSON");
    assert_eq!(document["openapi"], "3.1.0");
}
