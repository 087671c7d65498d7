/** Events in the life of a page. */
export type PageLife = {
  isSeen(): boolean;
  /** Subscribes; returns the function that unsubscribes. */
  watch(on: {
    /** A person views the page, again or after another one. */
    seen(): void;
    /** The page is left, cached for "back", or frozen: its code does not run afterwards. */
    left(): void;
    /** The page runs again. */
    back(): void;
  }): () => void;
};

/** The events of this page. */
export const pageLife: PageLife = {
  isSeen: () => document.visibilityState === 'visible',
  watch({ seen, left, back }) {
    const controller = new AbortController();
    const { signal } = controller;
    const onVisibility = () => {
      if (pageLife.isSeen()) seen();
    };
    document.addEventListener('visibilitychange', onVisibility, { signal });
    document.addEventListener('freeze', left, { signal });
    document.addEventListener('resume', back, { signal });
    window.addEventListener('pagehide', left, { signal });
    window.addEventListener('pageshow', back, { signal });
    return () => controller.abort();
  },
};
