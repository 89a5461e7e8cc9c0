/// The default contents of a new catalogue.
public enum SeedData {
  /// The seeds, as JSON.
  public static let json = Array(text.utf8)

  private static let text = """
    {
      "growthMethods": [
        {
          "methodId": "breath-lines", "stage": 1, "title": "Lines with your breath",
          "description": "Draw one slow line for every breath.",
          "instructionsText": "Sit as you like. Breathe in and draw a line upwards, breathe out and let it come down. Do not lift the pen for ten breaths.",
          "equipmentNeeded": ["anything to draw with"],
          "progressionCriteria": "Ten breaths without hurrying, three days in a row.",
          "safetyNotes": "Stop if you feel dizzy, and breathe as you always do."
        },
        {
          "methodId": "weather-page", "stage": 2, "title": "Today's weather inside",
          "description": "Draw how you feel as weather.",
          "instructionsText": "Choose a sky for this moment: clear, cloudy, stormy. Fill the page with it for five minutes, without words. Then write one sentence below.",
          "equipmentNeeded": ["pencil", "two colours"],
          "progressionCriteria": "Five pages on five days.",
          "safetyNotes": "If a page makes you feel worse, close it and speak to somebody you trust."
        },
        {
          "methodId": "letter-in-shapes", "stage": 3, "title": "A letter in shapes",
          "description": "Tell somebody something without a word.",
          "instructionsText": "Think of a person. Draw what you would like to tell them with shapes alone. Play the drawing back and watch where you went slowly.",
          "equipmentNeeded": ["pen", "paper or screen"],
          "progressionCriteria": "One letter that you would show to the person.",
          "safetyNotes": "Nobody needs to see it. Keep it or tear it up."
        }
      ],
      "educationalResources": [
        {
          "resourceId": "why-draw-slowly", "title": "Why drawing slowly calms",
          "category": "science",
          "contentText": "A slow movement of the hand asks for a steady breath, and a steady breath is the one part of the body's alarm that we can turn down at will. Drawing gives the eyes something to follow meanwhile."
        },
        {
          "resourceId": "first-page", "title": "Your first page",
          "category": "basics",
          "contentText": "There is nothing to get right. Put the pen down anywhere, draw until the page feels finished, and give it the date. Looking back is what makes a journal."
        }
      ]
    }
    """
}
