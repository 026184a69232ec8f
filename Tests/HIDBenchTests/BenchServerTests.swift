// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBench
import HIDBus
import HIDSessions
import HIDSimulator
import Testing

@Suite("The server of the bench", .timeLimit(.minutes(1))) struct BenchServerTests {
  @Test("the page and its files come with a policy that allows no other code")
  func page() async throws {
    try await BenchFixture.run { bench in
      let page = try await bench.request("")
      #expect(page.status == 200)
      #expect(page.headers["content-type"] == "text/html; charset=utf-8")
      let policy = try #require(page.headers["content-security-policy"])
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
      #expect(page.headers["x-content-type-options"] == "nosniff")
      // Every file that the page and its modules name is there.
      var waiting = ["bench.css", "bench.js"]
      var seen: Set<String> = []
      while let name = waiting.popLast() {
        guard seen.insert(name).inserted else { continue }
        let file = try await bench.request(name)
        #expect(file.status == 200, "\(name)")
        for match in file.body.matches(of: /from "\.\/([a-z-]+\.js)"/) {
          waiting.append(String(match.1))
        }
      }
      #expect(seen.count > 15)
    }
  }

  @Test("requests without the token, of other pages and by other names are refused")
  func access() async throws {
    try await BenchFixture.run { bench in
      let right = "127.0.0.1:\(bench.port)"
      #expect(
        try await bench.request("devices", headers: ["Origin": "http://\(right)"]).status == 200)
      #expect(
        try await bench.request("devices", headers: ["Host": "localhost:\(bench.port)"]).status
          == 200)
      for headers in [
        ["Host": "evil.example:\(bench.port)"], ["Host": "127.0.0.1"],
        ["Origin": "http://evil.example"], ["Origin": "null"],
        ["Origin": "http://localhost:\(bench.port)"], ["Sec-Fetch-Site": "cross-site"],
        ["Sec-Fetch-Site": "same-site"],
      ] {
        #expect(try await bench.request("devices", headers: headers).status == 403, "\(headers)")
      }
      for path in ["/", "/devices", "/00000000000000000000000000000000/devices", "//devices"] {
        let client = try await bench.connect()
        #expect(try await client.request("GET", path).status == 404, "\(path)")
      }
      #expect(try await bench.request("../../etc/passwd").status == 404)
      // The printed link ends with a slash.
      #expect(try await bench.request("/devices").status == 200)
      #expect(try await bench.request("commands").status == 405)
      #expect(try await bench.request("devices", "POST").status == 405)
    }
  }

  @Test("a posted command moves the device, and a wrong one has the stream's error")
  func commands() async throws {
    try await BenchFixture.run { bench in
      let feed = try await bench.connect()
      _ = try await feed.begin("GET", bench.root + "events")
      let snapshot = try await feed.event()
      #expect(snapshot.json["event"] as? String == "snapshot")

      let press = try await bench.request(
        "commands", "POST", body: #"{"command": "script", "text": "press a", "token": 7}"#)
      #expect(press.status == 200)
      #expect(press.body.contains(#""result":"script","token":7"#))
      let input = try await feed.event("input")
      #expect(input.json["bytes"] as? String == "00 04 00 00 00 00 00")
      #expect(input.json["changes"] as? [String: Int] == ["keyboardOrKeypad.keyboardA": 1])

      // The snapshot for a page that comes later has the pressed key.
      let devices = try await bench.request("devices")
      #expect(devices.body.contains(#""keyboardOrKeypad.keyboardA":1"#))

      let wrong = try await bench.request(
        "commands", "POST", body: #"{"command": "script", "text": "press nothing"}"#)
      #expect(wrong.status == 422)
      #expect(wrong.body.contains("nothing"))
      let noCommand = try await bench.request("commands", "POST", body: "press a")
      #expect(noCommand.status == 422)
    }
  }

  @Test("devices come and go in the snapshot, and the library has its names")
  func plugging() async throws {
    try await BenchFixture.run { bench in
      let plug = try await bench.request(
        "commands", "POST", body: #"{"command": "plug", "file": "keyboard.json", "token": 1}"#)
      #expect(plug.status == 200)
      #expect(try await bench.request("devices").body.contains(#""device":"added""#))
      let elements = try await bench.request("descriptor?device=added")
      #expect(elements.body.contains(#""name":"keyboardOrKeypad.keyboardA""#))
      #expect(elements.body.contains(#""isWhole":true"#))
      let unplug = try await bench.request(
        "commands", "POST", body: #"{"command": "unplug", "device": "added"}"#)
      #expect(unplug.status == 200)
      #expect(!(try await bench.request("devices").body.contains("added")))
      #expect(try await bench.request("descriptor?device=added").status == 404)
      #expect(try await bench.request("descriptor").status == 400)
      #expect(try await bench.request("library").body == "{\"files\":[\"keyboard.json\"]}\n")
    }
  }

  @Test("a page that connects again gets what it has missed, once")
  func resumption() async throws {
    try await BenchFixture.run { bench in
      let first = try await bench.connect()
      _ = try await first.begin("GET", bench.root + "events")
      _ = try await first.event("snapshot")
      func tap(_ key: String) async throws {
        let body = #"{"command": "script", "text": "tap \#(key)"}"#
        #expect(try await bench.request("commands", "POST", body: body).status == 200)
      }
      try await tap("a")
      let last = try await first.event("input")  // the press
      first.close()
      try await tap("b")

      let second = try await bench.connect()
      _ = try await second.begin(
        "GET", bench.root + "events", headers: ["Last-Event-ID": last.id])
      let bytes = [
        "00 00 00 00 00 00 00", "00 05 00 00 00 00 00", "00 00 00 00 00 00 00",
      ]
      for wanted in bytes {
        let event = try await second.event()
        #expect(event.json["event"] as? String == "input")
        #expect(event.json["bytes"] as? String == wanted)
      }
      // An ID of another run has no meaning here: the page begins with a snapshot.
      for id in ["1-2-3", "x", "", "\(last.id)9"] {
        let third = try await bench.connect()
        _ = try await third.begin("GET", bench.root + "events", headers: ["Last-Event-ID": id])
        #expect(try await third.event().json["event"] as? String == "snapshot", "\(id)")
        third.close()
      }
    }
  }

  @Test("only a device on the USB bus has a state of USB")
  func usbState() async throws {
    try await BenchFixture.run { bench in
      let other = try await bench.request("usb?device=keys")
      #expect(other.status == 404)
      #expect(other.body.contains(#"the device "keys" is not on the USB bus"#))
      let none = try await bench.request("usb?device=none")
      #expect(none.status == 404)
      #expect(none.body.contains(#"there is no device "none""#))
    }
  }

  @Test("another program's device is in the list, and leaves it")
  func others() async throws {
    try await BenchFixture.run { bench in
      let feed = try await bench.connect()
      _ = try await feed.begin("GET", bench.root + "events")
      _ = try await feed.event("snapshot")
      let other = DeviceHub([], on: bench.bus, log: HIDEventLog())
      let definition = try #require(bench.hub.devices.first).definition
      let device = try await other.plug(definition, delegation: nil)
      let arrived = try await feed.event("arrived")
      #expect(arrived.json["id"] as? String == device.records.first?.id.description)
      let id = try #require(arrived.json["id"] as? String)
      #expect(try await bench.request("descriptor?device=\(id)").status == 200)
      await other.unplugAll()
      #expect(try await feed.event("removed").json["id"] as? String == id)
    }
  }

  @Test("a bench that only shows takes no commands")
  func readOnly() async throws {
    try await BenchFixture.run(isReadOnly: true) { bench in
      let press = try await bench.request(
        "commands", "POST", body: #"{"command": "script", "text": "press a"}"#)
      #expect(press.status == 403)
      #expect(press.body.contains("--read-only"))
      #expect(try await bench.request("devices").body.contains(#""readOnly":true"#))
    }
  }

  @Test("the name of a device is text in JSON, whatever it contains")
  func hostileNames() async throws {
    let name = #"<img src=x onerror=alert(1)> " \ </script>"#
    try await BenchFixture.run([name]) { bench in
      let body = try await bench.request("devices").body
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
      let devices = try #require(json["devices"] as? [[String: Any]])
      #expect(devices.first?["device"] as? String == name)
    }
  }

  @Test("more connections than the limit are refused, and the others go on")
  func connectionLimit() async throws {
    try await BenchFixture.run { bench in
      var clients: [WebClient] = []
      for _ in 0..<HTTPServer.connectionLimit {
        let client = try await bench.connect()
        #expect(try await client.request("GET", bench.root + "library").status == 200)
        clients.append(client)
      }
      let surplus = try await bench.connect()
      #expect(try await surplus.request("GET", bench.root + "library").status == 503)
      #expect(try await clients[0].request("GET", bench.root + "library").status == 200)
    }
  }

  @Test("a client that asks for events and leaves is forgotten")
  func leaving() async throws {
    try await BenchFixture.run { bench in
      for _ in 0..<2 * HTTPServer.connectionLimit {
        // The server ends a connection when it notices that the client has left.
        while true {
          let client = try await bench.connect()
          guard let found = try? await client.begin("GET", bench.root + "events"),
            found.status == 200
          else { continue }
          _ = try await client.event("snapshot")
          client.close()
          break
        }
      }
    }
  }

  @Test("a report descriptor is read in any form, and each finding has its byte and its place")
  func lint() async throws {
    try await BenchFixture.run { bench in
      let good = try await bench.request("lint", "POST", body: "05 01 09 06 a1 01 c0\nc0")
      #expect(good.status == 200)
      #expect(good.body.contains(#""bytes":"05 01 09 06 a1 01 c0 c0","byteCount":8"#))
      #expect(good.body.contains(#""offset":7,"line":2,"column":1"#))
      let bad = try await bench.request("lint", "POST", body: "05 zz")
      #expect(bad.status == 200)
      #expect(bad.body.contains(#""line":1,"column":4"#))
      #expect(try await bench.request("lint").status == 405)
    }
  }

  /// A trace with one report of a keyboard with three keys.
  private static let trace = """
    R: 29 05 01 09 06 a1 01 05 07 19 04 29 06 15 00 25 01 75 01 95 03 81 02 95 01 75 05 81 03 c0
    E: 000000.500000 1 02

    """

  @Test("a trace, and two that are compared, are timelines; one that cannot be read says why")
  func traces() async throws {
    try await BenchFixture.run { bench in
      let trace = Self.trace
      let one = try await bench.request("trace?name=a.hid", "POST", body: trace)
      #expect(one.status == 200, "\(one.body)")
      #expect(one.body.contains(#""changes":{"keyboardOrKeypad.keyboardB":1}"#))
      let other = trace.replacing(" 02\n", with: " 04\n")
      let two = try await bench.request(
        "compare?split=\(trace.utf8.count)", "POST", body: trace + other)
      #expect(two.status == 200, "\(two.body)")
      #expect(two.body.contains(#""side":"second""#))
      #expect(two.body.contains(#""count":1"#))
      for split in ["", "split=x", "split=-1", "split=100000"] {
        let wrong = try await bench.request("compare?\(split)", "POST", body: trace)
        #expect(wrong.status == 400)
      }
      let broken = try await bench.request("trace?name=a.hid", "POST", body: "R: 2 05\n")
      #expect(broken.status == 422)
      #expect(broken.body.contains("a.hid:1:"))
    }
  }

  @Test("bodies of traces can be long, and others cannot")
  func longBodies() async throws {
    try await BenchFixture.run { bench in
      let long = "# " + String(repeating: "x", count: 2 << 20) + "\n"
      #expect(try await bench.request("trace", "POST", body: long).status == 422)
      let client = try await bench.connect()
      client.send("POST \(bench.root)lint HTTP/1.1\r\nHost: 127.0.0.1:\(bench.port)\r\n")
      client.send("Content-Length: 2097152\r\n\r\n")
      #expect(await client.rest().contains("413"))
      let huge = try await bench.connect()
      huge.send("POST \(bench.root)trace HTTP/1.1\r\nHost: 127.0.0.1:\(bench.port)\r\n")
      huge.send("Content-Length: 33554433\r\n\r\n")
      #expect(await huge.rest().contains("413"))
    }
  }

  @Test("the file of a device is one that plugs it again")
  func definition() async throws {
    try await BenchFixture.run { bench in
      let file = try await bench.request("definition?device=keys")
      #expect(file.status == 200)
      let again = try HIDDeviceFile.parse(
        Array(file.body.utf8), name: "again", loading: { _ in [] })
      #expect(again.name == "keys")
      #expect(HIDDeviceFile.write(again) == HIDDeviceFile.write(bench.hub.devices[0].definition))
      #expect(try await bench.request("definition?device=nothing").status == 404)
      #expect(try await bench.request("link?device=keys").status == 404)
    }
  }
}
