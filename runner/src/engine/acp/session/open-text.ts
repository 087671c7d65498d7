/** What is kept of one message while it is written: its beginning, and its end for a last word. */
const MAX_HEAD_CHARS = 64 * 1024;
const MAX_TAIL_CHARS = 64 * 1024;

/** A message or thought that the agent is writing, piece by piece. */
export class OpenText {
  readonly stream: 'message' | 'reasoning';
  readonly itemId: string;
  /** The agent's own id of it; null: none. */
  readonly messageId: string | null;
  #head = '';
  #tail = '';
  #leftOut = 0;

  constructor(stream: 'message' | 'reasoning', itemId: string, messageId: string | null) {
    this.stream = stream;
    this.itemId = itemId;
    this.messageId = messageId;
  }

  append(piece: string): void {
    const room = MAX_HEAD_CHARS - this.#head.length;
    this.#head += piece.slice(0, room);
    const rest = piece.slice(room);
    if (room > 0 && rest === '') return;
    this.#tail += room > 0 ? rest : piece;
    if (this.#tail.length <= 2 * MAX_TAIL_CHARS) return;
    this.#leftOut += this.#tail.length - MAX_TAIL_CHARS;
    this.#tail = this.#tail.slice(-MAX_TAIL_CHARS);
  }

  get text(): string {
    if (this.#leftOut === 0) return this.#head + this.#tail;
    return `${this.#head}\n… ${this.#leftOut} characters left out …\n${this.#tail}`;
  }
}
