//! Speaks just enough of Postgres' protocol to ask one question, so that the tests need no client program.

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    path::PathBuf,
};

use percent_encoding::percent_decode_str;

/// Runs one statement on the address that a cluster gives out; the first column of every row, or the server's error.
pub fn query(url: &str, sql: &str) -> Result<Vec<String>, String> {
    let rest = url.strip_prefix("postgres://lowerline@localhost/").ok_or("another kind of address")?;
    let (database, options) = rest.split_once('?').ok_or("no options")?;
    let host = options.split('&').find_map(|option| option.strip_prefix("host=")).ok_or("no host")?;
    let folder = percent_decode_str(host).decode_utf8().map_err(|error| error.to_string())?;
    let socket = PathBuf::from(folder.as_ref()).join(".s.PGSQL.5432");
    ask(UnixStream::connect(&socket).map_err(|error| error.to_string())?, database, sql)
}

fn ask(mut stream: UnixStream, database: &str, sql: &str) -> Result<Vec<String>, String> {
    // Protocol 3.0, then pairs of strings.
    let mut hello = 196_608_u32.to_be_bytes().to_vec();
    hello.extend(format!("user\0lowerline\0database\0{database}\0\0").bytes());
    send(&mut stream, None, &hello).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    let mut is_asked = false;
    loop {
        let (kind, body) = receive(&mut stream).map_err(|error| error.to_string())?;
        match kind {
            b'Z' if is_asked => return Ok(rows),
            b'Z' => {
                let mut text = sql.as_bytes().to_vec();
                text.push(0);
                send(&mut stream, Some(b'Q'), &text).map_err(|error| error.to_string())?;
                is_asked = true;
            }
            // Two bytes: number of columns. Four: length of the first. Then its text.
            b'D' => {
                let length = u32::from_be_bytes(body[2..6].try_into().expect("four bytes")) as usize;
                rows.push(String::from_utf8_lossy(&body[6..6 + length]).into_owned());
            }
            b'E' => return Err(String::from_utf8_lossy(&body).replace('\0', " ")),
            _ => {}
        }
    }
}

fn send(stream: &mut UnixStream, kind: Option<u8>, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len() + 4).expect("short messages");
    let mut message: Vec<u8> = kind.into_iter().collect();
    message.extend(length.to_be_bytes());
    message.extend(body);
    stream.write_all(&message)
}

fn receive(stream: &mut UnixStream) -> io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    stream.read_exact(&mut head)?;
    let length = u32::from_be_bytes(head[1..].try_into().expect("four bytes")) as usize;
    let mut body = vec![0; length - 4];
    stream.read_exact(&mut body)?;
    Ok((head[0], body))
}
