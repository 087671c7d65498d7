/** At most `maxChars` UTF-16 units of a text, cut between characters, with an ellipsis where it was cut. */
export function clipText(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()} …` : text;
}
