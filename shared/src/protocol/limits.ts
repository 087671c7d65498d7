/**
 * Numbers both halves must agree on. Durations cross the wire in `welcome`, so a control plane may
 * choose others; these are the defaults. Arithmetic behind them: docs/runner-protocol.md.
 */
export const SUBPROTOCOL = 'switchyard.runner.v1';
export const PROTOCOL_MIN = 1;
export const PROTOCOL_MAX = 1;

export const LEASE_TTL_MS = 90_000;
export const RENEW_MS = 15_000;
/** The runner treats its lease as over this much before the control plane does. */
export const LEASE_GUARD_MS = 15_000;
/** The control plane moves work only this much after the lease. */
export const LEASE_GRACE_MS = 10_000;
export const OFFER_TTL_MS = 15_000;
/** An accepted attempt that its runner's inventory does not list is moved after this. */
export const NOT_HELD_REQUEUE_MS = 45_000;
export const PING_MS = 10_000;
/** Silence after which either side gives a socket up; says nothing about leases. */
export const SOCKET_DEAD_MS = 25_000;

/** An agent's question waits for a person at most this long: 30 days. */
export const MAX_QUESTION_MS = 2_592_000_000;

/** A request of a runner without a socket is answered after this at the latest. */
export const SYNC_WAIT_MS = 15_000;

export const MAX_FRAME_BYTES = 1_048_576;
/** Frames are built up to this size; only a single large message may exceed it. */
export const TARGET_FRAME_BYTES = 262_144;
export const MAX_EVENT_PAYLOAD_BYTES = 65_536;
export const FLUSH_MS = 50;
export const FLUSH_EVENTS = 64;
export const FLUSH_BYTES = 65_536;
export const WINDOW_EVENTS = 256;
export const WINDOW_BYTES = 1_048_576;
export const MAX_BLOB_BYTES = 33_554_432;
export const MAX_HELD = 256;
/** Commits of an issue that a runner is told of. */
export const MAX_OWN_COMMITS = 100;
export const MAX_LABELS = 64;
/** A runner's own access tokens live this long; the control plane refuses longer ones. */
export const ACCESS_TOKEN_TTL_MS = 600_000;
/** Losses of a runner that one attempt survives before it ends as `runner_lost`. */
export const MAX_RUNNER_LOSSES = 3;
/** What a tool may answer its agent, in characters. As JSON in JSON it still fits into a frame. */
export const MAX_TOOL_ANSWER_CHARS = 60_000;
/** A call of a tool is given up after this, at the runner. */
export const TOOL_CALL_TIMEOUT_MS = 45_000;

/** Objects of the edge that can share the runners' sockets. */
export const MAX_RUNNER_POOLS = 256;

/** What is passed on of an agent's last words. */
export const MAX_SUMMARY_CHARS = 60_000;
