/** A variable for proxies has a value that cannot be used; the message never repeats it. */
export class BadProxy extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadProxy';
  }
}
