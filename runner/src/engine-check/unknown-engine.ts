/** There is no agent engine with this name. */
export class UnknownEngine extends Error {
  constructor(name: string, known: readonly string[]) {
    super(
      `there is no agent engine ${name}; there are ${known.join(', ')}. ` +
        'Agents of your own are defined in a file that --agents or SWITCHYARD_AGENTS_FILE names',
    );
    this.name = 'UnknownEngine';
  }
}
