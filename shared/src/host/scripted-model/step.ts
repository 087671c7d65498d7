import type { ServerResponse } from 'node:http';

/** The open stream of one response, for a step that ends it in its own way. */
export type StepStream = {
  response: ServerResponse;
  /** Aborted when the client disconnects or the provider closes. */
  signal: AbortSignal;
  /** Sends a piece of text in the format of the request. */
  say(text: string): Promise<void>;
  /** Ends the stream with a failure, like a provider whose response had begun. */
  fail(refusal: Refusal): Promise<void>;
};

/**
 * One item of the model's answer. The provider selects among the tools that a request offers, so
 * one script serves engines whose tools differ in names and arguments.
 */
export type StepOutput =
  | { type: 'message'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'shell'; command: string; yieldTimeMs: number }
  /** In the form of `apply_patch`; tools that replace text get one call for each hunk. */
  | { type: 'patch'; patch: string }
  | { type: 'read'; path: string }
  /** Questions to the person. */
  | { type: 'questions'; questions: AskedQuestion[] }
  /**
   * A call of a tool by its name, or by the name that an engine derived from it (`server_name`).
   */
  | { type: 'tool'; name: string; arguments: unknown };

export type AskedQuestion = {
  id: string;
  header: string;
  question: string;
  options: { label: string; description: string }[];
};

/** `reasoning` is part of `output`, `cachedInput` part of `input`. */
export type Usage = { input: number; cachedInput: number; output: number; reasoning: number };

/**
 * How a provider refuses a request. Each format expresses it with messages, codes and headers of
 * its own.
 */
export type Refusal = {
  kind: 'unauthorized' | 'rate_limit' | 'quota' | 'server_error' | 'overloaded' | 'context';
  /** Sent as `retry-after`, seconds. */
  retryAfterS?: number;
  /** Sent in the reset headers or the body of the format, epoch milliseconds. */
  resetAtMs?: number;
};

/**
 * What the scripted provider does with one request of the engine: an object that can be built,
 * combined and compared.
 */
export type Step = {
  outputs: StepOutput[];
  /** Refuses the request; `outputs` is ignored then. */
  refusal?: Refusal;
  /** Sends nothing more and keeps the connection open. */
  silence?: 'before_headers' | 'after_headers' | 'after_outputs';
  /** Answers the whole request by itself; `outputs` is ignored then. */
  instead?: (response: ServerResponse, signal: AbortSignal) => unknown;
  /** Ends the stream after the outputs, instead of the normal end. */
  ending?: (stream: StepStream) => Promise<unknown>;
  usage?: Usage;
  /** Extra response headers, for example rate limits. */
  headers?: Record<string, string>;
  /** Delay before the response begins, milliseconds. */
  delayMs?: number;
  /** Delay between two pieces of streamed text, milliseconds. */
  pauseMs?: number;
};
