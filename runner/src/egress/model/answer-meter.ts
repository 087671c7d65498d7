import { networkTrouble } from '@switchyard/shared/network/network-trouble';
import type { IncomingHttpHeaders } from 'node:http';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { parseJson } from '@switchyard/shared/text/parse-json';
import { listOf } from './json-object.ts';
import type { ModelLedger, OpenRequest } from './model-ledger.ts';
import { SILENCE_CODES } from './model-report.ts';
import { type AnswerPiece, isWorthReading, readBody, readEvent } from './answer-piece.ts';
import { noAnswer, readRefusal } from './read-refusal.ts';
import { StreamLines } from './stream-lines.ts';

/** Memory for one response: a line of a stream, or a body that is no stream. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** Bytes of a refusal's text. */
const MAX_ERROR_BYTES = 64 * 1024;
/** If an engine gives up on a response after such a silence, the provider counts as silent. */
const SILENCE_MS = 30_000;

/** How a response ended. */
export type AnswerEnd =
  | 'whole'
  /** The engine disconnected, or its access was revoked. */
  | 'abandoned';

/**
 * Reads one response of a model as it passes: its usage, whether it is complete, and a refusal.
 * Holds at most `maxHeldBytes`, changes nothing and never throws, whatever a provider sends.
 */
export class AnswerMeter {
  readonly #ledger: ModelLedger;
  readonly #request: OpenRequest;
  readonly #wireApi: WireApi;
  readonly #secret: string | null;
  readonly #now: () => number;
  readonly #maxHeldBytes: number;
  #status: number | null = null;
  #headers: IncomingHttpHeaders = {};
  #lines: StreamLines | null = null;
  #body: Buffer[] | null = null;
  #bodyBytes = 0;
  #sawData = false;
  /** The response was counted, as complete or as a refusal. */
  #isJudged = false;

  constructor(
    ledger: ModelLedger,
    options: {
      wireApi: WireApi;
      /** The provider's key, which is removed from messages. */
      secret: string | null;
      now: () => number;
      maxHeldBytes?: number;
    },
  ) {
    this.#ledger = ledger;
    this.#request = ledger.begin();
    this.#wireApi = options.wireApi;
    this.#secret = options.secret;
    this.#now = options.now;
    this.#maxHeldBytes = options.maxHeldBytes ?? MAX_HELD_BYTES;
  }

  /** Handles the beginning of the response. */
  head(status: number, headers: IncomingHttpHeaders): void {
    this.#ledger.heard(this.#request);
    this.#status = status;
    this.#headers = headers;
    // An encoded response is passed on unchanged; its usage is not known.
    const isPlain = ['', 'identity'].includes(headers['content-encoding'] ?? '');
    if (!isPlain) return;
    const isStream = (headers['content-type'] ?? '').includes('text/event-stream');
    if (status < 300 && isStream) {
      this.#lines = new StreamLines(this.#maxHeldBytes, (data) => this.#event(data));
    } else this.#body = [];
  }

  /** Handles a chunk of the response before the engine gets it. */
  chunk(bytes: Buffer): void {
    this.#ledger.heard(this.#request);
    if (this.#lines !== null) return this.#lines.feed(bytes);
    if (this.#body === null) return;
    this.#bodyBytes += bytes.length;
    const maxBytes = this.#isRefused() ? MAX_ERROR_BYTES : this.#maxHeldBytes;
    if (this.#bodyBytes <= maxBytes) return void this.#body.push(bytes);
    this.#body = null;
  }

  /** Handles the end of the response, complete or not. */
  end(how: AnswerEnd): void {
    if (how === 'whole') this.#endWhole();
    else if (!this.#isJudged && this.#now() - this.#request.receivedMs >= SILENCE_MS) {
      const silentS = Math.round((this.#now() - this.#request.receivedMs) / 1_000);
      this.#refuse(`the model provider sent nothing for ${silentS} s`, SILENCE_CODES.givenUp);
    }
    this.#ledger.end(this.#request);
  }

  /** Handles a missing or broken response; `code` is the network's. */
  broke(code: string): void {
    const what = this.#status === null ? 'cannot be reached' : 'broke off its answer';
    if (!this.#isJudged) this.#refuse(`the model provider ${what}: ${networkTrouble(code)}`, code);
    this.#ledger.end(this.#request);
  }

  #isRefused(): boolean {
    return this.#status !== null && this.#status >= 300;
  }

  #endWhole(): void {
    this.#lines?.end();
    if (this.#isJudged) return;
    const text = this.#body === null ? '' : Buffer.concat(this.#body).toString('utf8');
    if (this.#isRefused()) {
      this.#refuseAs({ status: this.#status, json: parseJson(text), text });
    } else if (this.#lines !== null) this.#endStream();
    else if (this.#body === null) this.#answered();
    else this.#readWhole(text);
  }

  /**
   * Judges a stream that ended without its final event: refused, except after a skipped line, or
   * with data in a format that is accepted without such an event.
   */
  #endStream(): void {
    const isMarked = this.#wireApi === 'responses' || this.#wireApi === 'messages';
    const isCut = this.#lines?.isCut === true;
    if (isCut || (this.#sawData && !isMarked)) this.#answered();
    else this.#refuse('the model provider ended its answer before it was whole', null);
  }

  #readWhole(text: string): void {
    const json = parseJson(text);
    if (json === null || typeof json !== 'object') {
      return this.#refuse('the model provider answered with something that is no answer', null);
    }
    for (const one of Array.isArray(json) ? listOf(json) : [json]) {
      this.#take(readBody(this.#wireApi, one));
    }
    if (!this.#isJudged) this.#answered();
  }

  #event(data: Buffer): void {
    this.#sawData = true;
    if (this.#wireApi === 'chat' && data.length < 16 && data.includes('[DONE]')) {
      if (!this.#isJudged) this.#answered();
    } else if (isWorthReading(this.#wireApi, data)) {
      this.#take(readEvent(this.#wireApi, parseJson(data.toString('utf8'))));
    }
  }

  #take({ model, tokens, error, isEnd }: AnswerPiece): void {
    if (tokens !== null) this.#ledger.used(this.#request, tokens, model);
    if (this.#isJudged) return;
    if (error !== null) this.#refuseAs({ status: null, json: { error } });
    else if (isEnd) this.#answered();
  }

  #answered(): void {
    this.#isJudged = true;
    this.#ledger.answered(this.#request);
  }

  #refuse(message: string, code: string | null): void {
    this.#isJudged = true;
    this.#ledger.refused(noAnswer(message, code, this.#now()));
  }

  #refuseAs(answer: { status: number | null; json: unknown; text?: string }): void {
    this.#isJudged = true;
    const about = { nowMs: this.#now(), secret: this.#secret };
    this.#ledger.refused(readRefusal({ ...answer, headers: this.#headers }, about));
  }
}
