/**
 * Guards one event stream against a listener that stops reading: `untilRead` resolves once `hasRead`
 * was called, or after `stallMs` (milliseconds), when it calls `drop` to end the connection.
 */
export function dropSlowListener(stallMs: number, drop: () => void) {
  let onRead = () => {};
  return {
    hasRead: () => onRead(),
    async untilRead(): Promise<void> {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const isRead = await new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), stallMs);
        onRead = () => resolve(true);
      });
      clearTimeout(timer);
      onRead = () => {};
      if (!isRead) drop();
    },
  };
}
