/** A folder that the operator names but in which no repository is allowed. */
export class BadFolder extends Error {
  override readonly name = 'BadFolder';
}
