//! Lines to copy that connect clients to a disk.

/// For every client that we know to work, what to type for the disk `name` at the NBD socket `socket`.
pub(crate) fn lines(name: &str, socket: &str) -> String {
    let url_socket = percent_encoded(socket);
    let quoted = shell_quoted(socket);
    let uri = format!("nbd+unix:///{name}?socket={url_socket}");
    let uri_quoted = shell_quoted(&uri);
    let xml_socket = xml_escaped(socket);
    // `reconnect-delay`: without it a restart of Forebay is an I/O error in the guest; with it the guest waits.
    let json = serde_json::json!({
        "driver": "nbd",
        "node-name": name,
        "server": { "type": "unix", "path": socket },
        "export": name,
        "reconnect-delay": 60,
    });
    let blockdev = shell_quoted(&json.to_string());
    format!(
        "\
# QEMU (waits up to 60 s while Forebay restarts)
-blockdev {blockdev} -device virtio-blk-pci,drive={name}

# libvirt
<disk type='network' device='disk'>
  <driver name='qemu' type='raw'/>
  <source protocol='nbd' name='{name}'>
    <host transport='unix' socket='{xml_socket}'/>
    <reconnect delay='60'/>
  </source>
  <target dev='vda' bus='virtio'/>
</disk>

# qemu-img
qemu-img info {uri_quoted}

# nbd-client (kernel module nbd)
nbd-client -unix {quoted} /dev/nbd0 -name {name} -block-size 4096 -persist

# fio
fio --name={name} --ioengine=nbd --uri={uri_quoted} --rw=randread --bs=4k --iodepth=32 --runtime=10 --time_based

# libnbd
nbdinfo {uri_quoted}
nbdcopy {uri_quoted} {name}.img
"
    )
}

/// As a value in the query of a URI.
fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode).collect()
}

/// As one word of a shell.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// As the value of an attribute in single quotes.
fn xml_escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&apos;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_is_there_and_qemu_waits_for_a_restart() {
        let lines = lines("web", "/run/forebay/nbd/web.sock");
        for part in [
            r#""reconnect-delay":60"#,
            "<reconnect delay='60'/>",
            "socket='/run/forebay/nbd/web.sock'",
            "'nbd+unix:///web?socket=/run/forebay/nbd/web.sock'",
            "qemu-img info",
            "nbd-client -unix",
            "--ioengine=nbd",
            "nbdinfo",
            "nbdcopy",
        ] {
            assert!(lines.contains(part), "{part} is missing in:\n{lines}");
        }
    }

    #[test]
    fn odd_paths_stay_one_word_everywhere() {
        let lines = lines("web", "/run/a b&'c/web.sock");
        assert!(lines.contains("socket=/run/a%20b%26%27c/web.sock"), "{lines}");
        assert!(lines.contains(r"-unix '/run/a b&'\''c/web.sock'"), "{lines}");
        assert!(lines.contains("socket='/run/a b&amp;&apos;c/web.sock'"), "{lines}");
    }
}
