// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CoreHaptics

@Suite("Haptic patterns and their strength over time")
struct PatternTests {
  private func strengths(_ pattern: CHHapticPattern, _ times: [Double]) -> [Float] {
    times.map { (pattern.strength.value(at: $0) * 100).rounded() / 100 }
  }

  private func event(
    _ type: CHHapticEvent.EventType, at time: Double = 0, for duration: Double = 0,
    _ parameters: [CHHapticEvent.ParameterID: Float] = [:]
  ) -> CHHapticEvent {
    CHHapticEvent(
      eventType: type,
      parameters: parameters.map { CHHapticEventParameter(parameterID: $0, value: $1) },
      relativeTime: time, duration: duration)
  }

  @Test("an error keeps every entry of its dictionary, and has a description without one")
  func userInfo() {
    let error = CHHapticError(
      .invalidTime, userInfo: [NSLocalizedDescriptionKey: "too early", "player": 7])
    #expect(error.errorUserInfo["player"] as? Int == 7)
    #expect(error.errorDescription == "too early")
    let plain = CHHapticError(.invalidTime)
    #expect(plain.errorDescription == "Core Haptics: invalidTime")
    #expect(plain.errorUserInfo.count == 1)
    #expect(plain == CHHapticError(.invalidTime))
    #expect(plain != error)
  }

  @Test("a tap lasts 50 ms, a vibration its duration, and the strongest event counts")
  func events() throws {
    let pattern = try CHHapticPattern(
      events: [
        event(.hapticTransient, [.hapticIntensity: 0.5]),
        event(.hapticContinuous, at: 1, for: 2, [.hapticIntensity: 0.25]),
        event(.hapticTransient, at: 1.5), event(.audioContinuous, at: 5, for: 9),
      ], parameters: [])
    #expect(
      strengths(pattern, [0, 0.049, 0.05, 0.5, 1, 1.49, 1.5, 1.54, 1.6, 2.99, 3])
        == [0.5, 0.5, 0, 0, 0.25, 0.25, 1, 1, 0.25, 0.25, 0])
    // The tone has no strength, but its duration counts.
    #expect(pattern.duration == 14)
    let strength = pattern.strength
    #expect(
      [0, 0.05, 1, 1.5, 1.55].map { strength.nextChange(after: $0, step: 0.01) }
        == [0.05, 1, 1.5, 1.55, 3])
    #expect(strength.nextChange(after: 3, step: 0.01) == .infinity)
  }

  @Test("an envelope has an attack, a release after the duration, and a decay without sustain")
  func envelopes() throws {
    let held = try CHHapticPattern(
      events: [event(.hapticContinuous, for: 2, [.attackTime: 0.5, .releaseTime: 1])],
      parameters: [])
    #expect(strengths(held, [0, 0.25, 0.5, 1, 1.99, 2.5, 3]) == [0, 0.5, 1, 1, 1, 0.5, 0])
    // The pattern plays until the release is over.
    #expect(held.duration == 2 && held.strength.end == 3)
    // A strength that changes continuously is sampled at every step.
    #expect(held.strength.nextChange(after: 0.25, step: 0.01) == 0.26)
    #expect(held.strength.nextChange(after: 0.6, step: 0.01) == 2)
    let fading = try CHHapticPattern(
      events: [
        event(.hapticContinuous, for: 2, [.sustained: 0, .decayTime: 0.5, .attackTime: 0.5])
      ], parameters: [])
    #expect(strengths(fading, [0.5, 0.75, 1, 1.5]) == [1, 0.5, 0, 0])
    #expect(fading.duration == 2)
    let cut = try CHHapticPattern(
      events: [event(.hapticContinuous, for: 2, [.sustained: 0])], parameters: [])
    #expect(strengths(cut, [0, 0.025, 0.05]) == [1, 0.5, 0])
  }

  @Test("a parameter and a curve multiply the strength, and values are cut to 0 to 1")
  func controls() throws {
    let vibration = event(.hapticContinuous, for: 4, [.hapticIntensity: 0.8])
    let stepped = try CHHapticPattern(
      events: [vibration],
      parameters: [
        CHHapticDynamicParameter(
          parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 1),
        CHHapticDynamicParameter(
          parameterID: .hapticSharpnessControl, value: 0, relativeTime: 2),
        CHHapticDynamicParameter(
          parameterID: .hapticIntensityControl, value: 7, relativeTime: 3),
      ])
    #expect(strengths(stepped, [0, 0.9, 1, 2.5, 3]) == [0.8, 0.8, 0.4, 0.4, 0.8])
    let curved = try CHHapticPattern(
      events: [vibration],
      parameterCurves: [
        CHHapticParameterCurve(
          parameterID: .hapticIntensityControl,
          controlPoints: [
            .init(relativeTime: 2, value: 0), .init(relativeTime: 0, value: 1),
          ], relativeTime: 1)
      ])
    #expect(strengths(curved, [0, 1, 2, 3, 3.9]) == [0.8, 0.8, 0.4, 0, 0])
  }

  @Test("infinite and huge durations, and values that are not numbers, are accepted")
  func extremes() throws {
    for duration in [Double.infinity, Double(Float.greatestFiniteMagnitude), 0] {
      let pattern = try CHHapticPattern(
        events: [event(.hapticContinuous, for: duration, [.hapticIntensity: .nan])],
        parameters: [])
      #expect(strengths(pattern, [1e8]) == [1] && pattern.duration > 1e8)
    }
    #expect(try CHHapticPattern(events: [], parameters: []).duration == 0)
    // The duration of a tap counts for loops.
    #expect(
      try CHHapticPattern(events: [event(.hapticTransient, for: 1)], parameters: []).duration == 1)
  }

  @Test(
    "an invalid time or duration is refused with its error code",
    arguments: [
      (-1.0, 1.0, CHHapticError.Code.invalidEventTime), (.nan, 1, .invalidEventTime),
      (.infinity, 1, .invalidEventTime), (0, -1, .invalidEventDuration),
      (0, .nan, .invalidEventDuration),
    ])
  func wrongTimes(_ time: Double, _ duration: Double, _ code: CHHapticError.Code) throws {
    let error = #expect(throws: CHHapticError.self) {
      try CHHapticPattern(
        events: [self.event(.hapticContinuous, at: time, for: duration)], parameters: [])
    }
    #expect(error?.code == code && error?.localizedDescription.contains(" s; expected 0") == true)
    #expect((error as NSError?)?.domain == CoreHapticsErrorDomain)
    #expect((error as NSError?)?.code == code.rawValue)
  }

  @Test("unknown events and parameters are refused with errors that are caught by their codes")
  func codes() throws {
    var caught: [String] = []
    for (type, id) in [("HapticTransiet", "HapticIntensity"), ("HapticTransient", "Intensity")] {
      do {
        _ = try CHHapticPattern(
          events: [
            CHHapticEvent(
              eventType: .init(rawValue: type),
              parameters: [.init(parameterID: .init(rawValue: id), value: 1)], relativeTime: 0)
          ], parameters: [])
      } catch CHHapticError.invalidEventType {
        caught.append("type")
      } catch CHHapticError.invalidParameterType {
        caught.append("parameter")
      }
    }
    #expect(caught == ["type", "parameter"])
    #expect(throws: CHHapticError.self) {
      try CHHapticPattern(
        events: [],
        parameters: [.init(parameterID: .init(rawValue: "x"), value: 1, relativeTime: 0)])
    }
  }

  @Test("the dictionary of Apple's article is read with the names and numbers of Swift")
  func swiftDictionary() throws {
    let pattern = try CHHapticPattern(dictionary: [
      CHHapticPattern.Key.pattern: [
        [
          CHHapticPattern.Key.event: [
            CHHapticPattern.Key.eventType: CHHapticEvent.EventType.hapticTransient,
            CHHapticPattern.Key.time: CHHapticTimeImmediate,
            CHHapticPattern.Key.eventDuration: 1,
            CHHapticPattern.Key.eventParameters: [
              [
                CHHapticPattern.Key.parameterID: CHHapticEvent.ParameterID.hapticIntensity,
                CHHapticPattern.Key.parameterValue: Float(0.5),
              ] as [CHHapticPattern.Key: Any]
            ],
          ] as [CHHapticPattern.Key: Any]
        ]
      ]
    ])
    #expect(pattern.duration == 1 && strengths(pattern, [0, 0.04, 0.06]) == [0.5, 0.5, 0])
  }

  @Test("an AHAP file is read, and its exported dictionary is the same pattern")
  func dictionary() throws {
    let text = """
      {"Version": 1.0, "Metadata": {"Project": "x"}, "Pattern": [
        {"Event": {"Time": 0.5, "EventType": "HapticContinuous", "EventDuration": 1,
          "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 0.5}]}},
        {"Event": {"EventType": "HapticTransient", "EventParameters": []}},
        {"Parameter": {"ParameterID": "HapticIntensityControl", "ParameterValue": 0.5, "Time": 1}},
        {"ParameterCurve": {"ParameterID": "HapticSharpnessControl", "Time": 0,
          "ParameterCurveControlPoints": [{"Time": 0, "ParameterValue": 1}]}}]}
      """
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.ahap")
    try Data(text.utf8).write(to: file)
    let pattern = try CHHapticPattern(contentsOf: file)
    #expect(strengths(pattern, [0, 0.1, 0.6, 1.2, 1.5]) == [1, 0, 0.5, 0.25, 0])
    let again = try CHHapticPattern(dictionary: pattern.exportDictionary())
    #expect(strengths(again, [0, 0.1, 0.6, 1.2, 1.5]) == [1, 0, 0.5, 0.25, 0])

    #expect(throws: CHHapticError.self) {
      try CHHapticPattern(contentsOf: folder.appending(path: "no.ahap"))
    }
    for (wrong, message) in [
      ("[]", "the pattern is no JSON object"), ("{", "the pattern is no JSON"),
      ("{}", "the dictionary of a pattern has no Pattern; expected a list"),
      (#"{"Pattern": [1]}"#, "Pattern of the dictionary of a pattern is"),
      (#"{"Pattern": [{"Event": {"Time": 0}}]}"#, "entry 1 of the pattern has no EventType"),
      (
        #"{"Pattern": [{"Event": {"EventType": "HapticTransient", "Time": "0.5"}}]}"#,
        "Time of entry 1 of the pattern is \"0.5\"; expected a number"
      ),
      (
        #"{"Pattern": [{"Event": {"EventType": "HapticTransient", "EventParameters": {}}}]}"#,
        "EventParameters of entry 1 of the pattern is"
      ),
      (
        #"{"Pattern": [{"Event": {"EventType": "HapticTransient"}}, {"Evt": {}}]}"#,
        "entry 2 of the pattern is no Event, Parameter or ParameterCurve"
      ),
      (
        #"{"Pattern": [{"Parameter": {"ParameterID": "x"}}]}"#,
        "entry 1 of the pattern has no ParameterValue; expected a number"
      ),
    ] {
      let error = #expect(throws: CHHapticError.self) {
        try CHHapticPattern(data: Data(wrong.utf8))
      }
      #expect(error?.localizedDescription.hasPrefix(message) == true, "\(wrong)")
    }
  }
}
