const WORDS: Readonly<Record<string, string>> = {
  local: 'a person at the computer of this service',
  'write-token': 'somebody with the write token',
  service: 'this service',
};

/** Who did something, as people are told: names of people and tokens stand as they are. */
export function actorWords(actor: string): string {
  return WORDS[actor] ?? actor;
}
