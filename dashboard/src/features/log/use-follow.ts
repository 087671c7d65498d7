import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { follow, startFollowing } from './follow.ts';

/** Distance from the end that still counts as the end. */
const END_PX = 32;
/** A scroll counts as the reader's own this long after a wheel, touch, key or pointer event. */
const INTENT_MS = 1_000;

export type Scroll = ReturnType<typeof useFollow>;

/**
 * Keeps the end in view while following, and distinguishes the reader's scrolling from the list's
 * own. Whatever makes the content longer calls `stay` afterwards.
 */
export function useFollow(scroller: RefObject<HTMLDivElement | null>, total: number) {
  const [state, change] = useReducer(follow, startFollowing);
  const lastTop = useRef(0);
  const intentAt = useRef(Number.NEGATIVE_INFINITY);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  // New rows are counted from where the reader stopped following; while following, nothing is
  // redrawn for them.
  const latest = useRef({ total, following: true });
  latest.current = { total, following: state.following };
  useLayoutEffect(() => {
    if (!state.following) change({ type: 'grew', total });
  }, [state.following, total]);
  const stay = useCallback(() => {
    if (latest.current.following) toEnd();
  }, [toEnd]);
  useLayoutEffect(stay, [state.following, stay]);
  const scrolled = useCallback((atEnd: boolean) => {
    change({ type: 'grew', total: latest.current.total });
    change({ type: 'scrolled', atEnd });
  }, []);

  const onIntent = useCallback(() => {
    intentAt.current = performance.now();
  }, []);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const up = element.scrollTop < lastTop.current - 1;
    lastTop.current = element.scrollTop;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
    const own = performance.now() - intentAt.current < INTENT_MS;
    if (own && (atEnd || up)) scrolled(atEnd && !up);
  }, [scroller, scrolled]);
  const jump = useCallback(() => {
    change({ type: 'jumped' });
    toEnd();
  }, [toEnd]);
  const release = useCallback(() => scrolled(false), [scrolled]);
  const handlers = {
    onScroll,
    onWheel: onIntent,
    onTouchMove: onIntent,
    onKeyDown: onIntent,
    onPointerDown: onIntent,
  };
  return { following: state.following, unseen: state.unseen, handlers, jump, release, stay };
}
