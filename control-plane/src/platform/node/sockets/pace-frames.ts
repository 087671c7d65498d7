/** Characters of waiting frames above which reading stops. */
const STOP_AT = 4_194_304;
const GO_ON_AT = 1_048_576;

/** Stops reading a socket while too many of its frames wait to be handled. */
export function paceFrames(socket: { pause(): void; resume(): void }): {
  came(length: number): void;
  handled(length: number): void;
} {
  let waiting = 0;
  let paused = false;
  return {
    came(length) {
      waiting += length;
      if (paused || waiting <= STOP_AT) return;
      paused = true;
      socket.pause();
    },
    handled(length) {
      waiting -= length;
      if (!paused || waiting > GO_ON_AT) return;
      paused = false;
      socket.resume();
    },
  };
}
