import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { follow, startFollowing } from './follow.ts';

/** How near to the end counts as the end. */
const END_PX = 32;
/** A scroll counts as the reader's own this long after a wheel, touch, key or pointer. */
const INTENT_MS = 1_000;

/** Keeps the end in view while following, and tells the reader's scrolling from the list's own. */
export function useFollow(
  scroller: RefObject<HTMLDivElement | null>,
  total: number,
  /** Changes with whatever makes the content longer. */
  length: unknown,
) {
  const [state, change] = useReducer(follow, startFollowing);
  const lastTop = useRef(0);
  const intentAt = useRef(Number.NEGATIVE_INFINITY);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  useLayoutEffect(() => change({ type: 'grew', total }), [total]);
  useLayoutEffect(() => {
    if (state.following) toEnd();
  }, [state.following, total, length, toEnd]);

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
    if (own && (atEnd || up)) change({ type: 'scrolled', atEnd: atEnd && !up });
  }, [scroller]);
  const jump = useCallback(() => {
    change({ type: 'jumped' });
    toEnd();
  }, [toEnd]);
  const release = useCallback(() => change({ type: 'scrolled', atEnd: false }), []);
  const handlers = {
    onScroll,
    onWheel: onIntent,
    onTouchMove: onIntent,
    onKeyDown: onIntent,
    onPointerDown: onIntent,
  };
  return { following: state.following, unseen: state.unseen, handlers, jump, release };
}
