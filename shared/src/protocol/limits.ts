/**
 * Numbers that runner and control plane must agree on. Durations are sent in `welcome`, so a
 * control plane may choose others; these are the defaults. Their arithmetic:
 * docs/runner-protocol.md.
 */
export const SUBPROTOCOL = 'switchyard.runner.v1';
export const PROTOCOL_MIN = 1;
export const PROTOCOL_MAX = 1;

export const LEASE_TTL_MS = 90_000;
export const RENEW_MS = 15_000;
/** How much earlier the runner treats its lease as expired than the control plane does. */
export const LEASE_GUARD_MS = 15_000;
/** How long the control plane waits after a lease has expired before it reassigns the work. */
export const LEASE_GRACE_MS = 10_000;
export const OFFER_TTL_MS = 15_000;
/**
 * After this time, an accepted attempt that is missing from its runner's inventory is reassigned.
 */
export const NOT_HELD_REQUEUE_MS = 45_000;
export const PING_MS = 10_000;
/** Silence after which either side closes a socket; unrelated to leases. */
export const SOCKET_DEAD_MS = 25_000;

/** Longest time that an agent's question waits for a person: 30 days. */
export const MAX_QUESTION_MS = 2_592_000_000;

/** Longest time that a request of a runner without a socket is held open. */
export const SYNC_WAIT_MS = 15_000;

export const MAX_FRAME_BYTES = 1_048_576;
/** Target size of a frame; only a single large message may exceed it. */
export const TARGET_FRAME_BYTES = 262_144;
export const MAX_EVENT_PAYLOAD_BYTES = 65_536;
export const FLUSH_MS = 50;
export const FLUSH_EVENTS = 64;
export const FLUSH_BYTES = 65_536;
export const WINDOW_EVENTS = 256;
export const WINDOW_BYTES = 1_048_576;
export const MAX_BLOB_BYTES = 33_554_432;
export const MAX_HELD = 256;
/** Number of an issue's commits that are sent to a runner. */
export const MAX_OWN_COMMITS = 100;
export const MAX_LABELS = 64;
/** Lifetime of the access tokens that a runner signs; the control plane refuses longer ones. */
export const ACCESS_TOKEN_TTL_MS = 600_000;
/** Number of times that an attempt loses its runner until it ends as `runner_lost`. */
export const MAX_RUNNER_LOSSES = 3;
/** Longest answer of a tool, in characters; as JSON in JSON it still fits into a frame. */
export const MAX_TOOL_ANSWER_CHARS = 60_000;
/** Timeout of a tool call at the runner. */
export const TOOL_CALL_TIMEOUT_MS = 45_000;

/** Maximum number of edge objects that share the runners' sockets. */
export const MAX_RUNNER_POOLS = 256;

/** Length of an agent's last message that is forwarded. */
export const MAX_SUMMARY_CHARS = 60_000;
