import { edgeBefore, textTail } from '@switchyard/shared/text/cut-text';

/**
 * Characters that are kept of a message while it is written: its beginning, and its end for the
 * marker.
 */
const MAX_HEAD_CHARS = 64 * 1024;
const MAX_TAIL_CHARS = 64 * 1024;

/** A message or thought that the agent is writing in pieces. */
export class OpenText {
  readonly stream: 'message' | 'reasoning';
  readonly itemId: string;
  /** The agent's own id of the text; null: none. */
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
    // Once the end has begun, further pieces belong there, whatever space the beginning has left.
    const room = this.#tail === '' ? MAX_HEAD_CHARS - this.#head.length : 0;
    const taken = edgeBefore(piece, room);
    this.#head += piece.slice(0, taken);
    this.#tail += piece.slice(taken);
    if (this.#tail.length <= 2 * MAX_TAIL_CHARS) return;
    const kept = textTail(this.#tail, MAX_TAIL_CHARS);
    this.#leftOut += this.#tail.length - kept.length;
    this.#tail = kept;
  }

  get text(): string {
    if (this.#leftOut === 0) return this.#head + this.#tail;
    return `${this.#head}\n… ${this.#leftOut} characters left out …\n${this.#tail}`;
  }
}
