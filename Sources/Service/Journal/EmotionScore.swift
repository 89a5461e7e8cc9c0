/// Scores of emotions for charts, from 1 to 5. They are only heights of a line, not judgements.
public enum EmotionScore {
  /// The score of the key of an emotion; nil for an unknown one.
  public static func of(_ emotion: String) -> Int? { scores[emotion.lowercased()] }

  private static let scores = [
    "joy": 5, "happy": 5, "love": 5, "gratitude": 5, "excitement": 5,
    "calm": 4, "content": 4, "hope": 4, "pride": 4, "relief": 4, "trust": 4,
    "neutral": 3, "surprise": 3, "anticipation": 3, "confusion": 3, "boredom": 3,
    "sad": 2, "sadness": 2, "tired": 2, "lonely": 2, "worry": 2, "anxious": 2, "stress": 2,
    "anger": 1, "angry": 1, "fear": 1, "disgust": 1, "shame": 1, "guilt": 1, "despair": 1,
  ]
}
