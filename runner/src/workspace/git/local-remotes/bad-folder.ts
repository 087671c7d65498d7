/** A folder that an operator names and that no repository may lie in. */
export class BadFolder extends Error {
  override readonly name = 'BadFolder';
}
