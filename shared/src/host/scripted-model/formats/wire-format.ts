import type { IncomingHttpHeaders } from 'node:http';
import type { WireApi } from '../../../model-providers/wire-api.ts';
import type { Refusal, Usage } from '../step.ts';

/** A tool that a request offers to the model. */
export type OfferedTool = {
  name: string;
  /** Names of its arguments; empty where the tool takes free text. */
  properties: readonly string[];
  required: readonly string[];
};

/** The content of a request in a form that is common to all API formats. */
export type ParsedRequest = {
  model: string;
  /** Raw items or messages, oldest first. */
  input: unknown[];
  tools: readonly OfferedTool[];
  systemText: string;
  /** All user messages to the model, oldest first. */
  userTexts: string[];
  /** Results of the model's tool calls, oldest first. */
  toolOutputs: string[];
  /** Ids of conversation and turn from the request's headers; some formats derive the first one. */
  threadId: string;
  turnId: string;
  /** Rounds of tool results in the current turn, where they can be derived from the messages. */
  rounds?: number;
  /** False: the response is one JSON object. */
  isStreamed: boolean;
  /** The request asks for usage in the stream, in the format's own way. */
  wantsUsage: boolean;
};

/** One output as the format sends it, after the tools were selected. */
export type AnswerOutput =
  | { type: 'message'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool'; name: string; arguments: unknown }
  /** A call of a tool with text input; only the Responses API has such tools. */
  | { type: 'custom_tool'; name: string; input: string };

export type Answer = {
  /** Makes item and response ids of different calls unique. */
  callId: string;
  model: string;
  outputs: readonly AnswerOutput[];
  usage: Usage;
  wantsUsage: boolean;
};

/** One event of a stream; `pause`: it is a piece of text after which a slow model waits. */
export type WireEvent = { event?: string; data: unknown; pause?: true };

/** An HTTP response that refuses a request. */
export type RefusedAnswer = { status: number; headers: Record<string, string>; body: unknown };

/** Requests and responses of one API format, as its publisher documents them. */
export interface WireFormat {
  readonly wireApi: WireApi;
  /** Parses a request body; throws for one that is not a request of this format. */
  parse(body: unknown, request: { headers: IncomingHttpHeaders; path: string }): ParsedRequest;
  /** The API key of a request; empty: there is none. */
  keyOf(headers: IncomingHttpHeaders, query: URLSearchParams): string;
  refuse(refusal: Refusal, nowMs: number): RefusedAnswer;
  /** The complete response as one object, for a request without streaming. */
  whole(answer: Answer): unknown;
  begin(answer: Answer): WireEvent[];
  output(answer: Answer, index: number): WireEvent[];
  end(answer: Answer): WireEvent[];
  /** Starts a message whose text follows in pieces. */
  openMessage(answer: Answer, index: number): WireEvent[];
  messagePiece(answer: Answer, index: number, text: string): WireEvent;
  /**
   * Kinds of refusals that the format sends inside a started stream instead of as the response's
   * status.
   */
  readonly refusesInside?: readonly Refusal['kind'][];
  /** Events for a failure after the headers were sent; null where the format has none for it. */
  failInside(refusal: Refusal, answer: Answer): WireEvent[] | null;
}
