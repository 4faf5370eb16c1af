//! Settings of a bucket that do not go with volumes.

use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use object_store::aws::AwsAuthorizer;
use object_store::client::{HttpRequest, HttpRequestBody};
use serde::Deserialize;
use tokio::time::timeout;

use super::S3;

/// Time for one answer.
const TIME: Duration = Duration::from_secs(10);
/// Largest answer that is read, in bytes.
const BYTES_MAX: usize = 1 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Versioning {
    status: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Lifecycle {
    rule: Vec<Rule>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Rule {
    #[serde(rename = "ID")]
    id: String,
    status: String,
    prefix: String,
    filter: Filter,
    expiration: Option<Expiration>,
    transition: Vec<Present>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Filter {
    prefix: String,
    and: Option<And>,
    tag: Option<Present>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct And {
    prefix: String,
    tag: Vec<Present>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Expiration {
    days: Option<String>,
    date: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Present {}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct ObjectLock {
    object_lock_enabled: String,
}

impl S3 {
    /// Returns warnings on settings of the bucket, as far as they may be read, asked of the endpoint with this number.
    pub(crate) async fn bucket_warnings(&self, number: usize) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(text) = self.setting(number, "versioning").await {
            warnings.extend(of_versioning(&self.bucket, &text));
        }
        if let Some(text) = self.setting(number, "lifecycle").await {
            warnings.extend(of_lifecycle(&self.bucket, &self.prefix, &text));
        }
        if let Some(text) = self.setting(number, "object-lock").await {
            warnings.extend(of_object_lock(&self.bucket, &text));
        }
        warnings
    }

    /// Returns a setting of the bucket as XML, if it is there and may be read.
    async fn setting(&self, number: usize, name: &str) -> Option<String> {
        let endpoint = &self.endpoints[number];
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.uri_mut() = format!("{}?{name}", endpoint.bucket_url).parse().ok()?;
        let keys = self.credentials.current();
        AwsAuthorizer::new(&keys, "s3", &self.region).try_authorize(&mut request, None).ok()?;
        let response = timeout(TIME, self.http.execute(request)).await.ok()?.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let body = Limited::new(response.into_body(), BYTES_MAX).collect();
        let bytes = timeout(TIME, body).await.ok()?.ok()?.to_bytes();
        String::from_utf8(bytes.into()).ok()
    }
}

fn of_versioning(bucket: &str, text: &str) -> Option<String> {
    let versioning: Versioning = quick_xml::de::from_str(text).ok()?;
    (versioning.status == "Enabled").then(|| {
        format!(
            "The bucket {bucket} keeps old versions: what is deleted goes on using space. Suspend versioning, or let a lifecycle rule \
             delete old versions."
        )
    })
}

fn of_lifecycle(bucket: &str, prefix: &str, text: &str) -> Vec<String> {
    let Ok(lifecycle) = quick_xml::de::from_str::<Lifecycle>(text) else { return Vec::new() };
    let concerning =
        lifecycle.rule.iter().filter(|rule| rule.status == "Enabled" && rule.may_concern(prefix));
    let warning = |rule: &Rule| {
        let expires = rule.expiration.as_ref().is_some_and(|when| when.days.is_some() || when.date.is_some());
        let id = &rule.id;
        if expires {
            return Some(format!(
                "The lifecycle rule {id} of the bucket {bucket} deletes objects by their age: it destroys volumes. Remove it, or exclude \
                 the prefix."
            ));
        }
        (!rule.transition.is_empty()).then(|| {
            format!(
                "The lifecycle rule {id} of the bucket {bucket} moves objects to other storage by their age: reads may take hours. \
                 Remove it, or exclude the prefix."
            )
        })
    };
    concerning.filter_map(warning).collect()
}

impl Rule {
    /// Returns true if objects below this prefix may be meant. Rules for tags mean none: our objects have no tags.
    fn may_concern(&self, prefix: &str) -> bool {
        let and = self.filter.and.as_ref();
        if self.filter.tag.is_some() || and.is_some_and(|and| !and.tag.is_empty()) {
            return false;
        }
        let prefixes = [&self.prefix, &self.filter.prefix].into_iter().chain(and.map(|and| &and.prefix));
        let ours = format!("{prefix}/");
        prefixes
            .filter(|theirs| !theirs.is_empty())
            .all(|theirs| prefix.is_empty() || ours.starts_with(theirs.as_str()) || theirs.starts_with(&ours))
    }
}

fn of_object_lock(bucket: &str, text: &str) -> Option<String> {
    let lock: ObjectLock = quick_xml::de::from_str(text).ok()?;
    (lock.object_lock_enabled == "Enabled").then(|| {
        format!(
            "The bucket {bucket} has object lock: with a retention time, deletes fail and space is not freed. Use a bucket without it."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versioning_is_a_warning_if_enabled() {
        let with = |status: &str| {
            let text =
                format!(r#"<VersioningConfiguration xmlns="urn:x">{status}</VersioningConfiguration>"#);
            of_versioning("disks", &text)
        };
        assert!(with("<Status>Enabled</Status>").is_some_and(|text| text.contains("disks")));
        assert!(with("<Status>Suspended</Status>").is_none());
        assert!(with("").is_none());
    }

    #[test]
    fn object_lock_is_a_warning() {
        let text = "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>\
                    <Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>";
        assert!(of_object_lock("disks", text).is_some());
        assert!(of_object_lock("disks", "<ObjectLockConfiguration/>").is_none());
    }

    #[test]
    fn lifecycle_rules_count_for_our_prefix_only() {
        let rule = |content: &str| {
            let text = format!(
                "<LifecycleConfiguration><Rule><ID>tidy</ID><Status>Enabled</Status>{content}</Rule></LifecycleConfiguration>"
            );
            of_lifecycle("disks", "a/b", &text)
        };
        let expires = "<Expiration><Days>3</Days></Expiration>";
        let counts = [
            "<Prefix></Prefix>",
            "<Filter/>",
            "<Filter><Prefix>a/</Prefix></Filter>",
            "<Filter><Prefix>a/b/c</Prefix></Filter>",
            "<Filter><And><Prefix>a</Prefix><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan></And></Filter>",
        ];
        for filter in counts {
            let warnings = rule(&format!("{filter}{expires}"));
            assert!(warnings.len() == 1 && warnings[0].contains("tidy"), "{filter}: {warnings:?}");
        }
        let foreign = [
            "<Filter><Prefix>other</Prefix></Filter>",
            "<Prefix>a/bc</Prefix>",
            "<Filter><Tag><Key>k</Key><Value>v</Value></Tag></Filter>",
            "<Filter><And><Prefix>a</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter>",
        ];
        for filter in foreign {
            assert!(rule(&format!("{filter}{expires}")).is_empty(), "{filter}");
        }
        assert!(rule("<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>").is_empty());
        assert!(
            rule("<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>")
                .is_empty()
        );
        assert_eq!(
            rule("<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>").len(),
            1
        );
    }

    #[test]
    fn disabled_rules_do_not_count() {
        let text = "<LifecycleConfiguration><Rule><ID>x</ID><Status>Disabled</Status><Expiration><Days>1</Days></Expiration></Rule>\
                    </LifecycleConfiguration>";
        assert!(of_lifecycle("disks", "", text).is_empty());
    }
}
