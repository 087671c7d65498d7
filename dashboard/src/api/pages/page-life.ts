/** What a browser does with a page. */
export type PageLife = {
  isSeen(): boolean;
  /** Returns what ends it. */
  watch(on: {
    /** A person looks at the page, again or from another one. */
    seen(): void;
    /** The page goes, is kept for "back", or is frozen: nothing of it runs afterwards. */
    left(): void;
    /** It runs again. */
    back(): void;
  }): () => void;
};

/** The life of this page. */
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
