const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

type Place = { parent: Element; child: Element; index: number };
type Kept = { element: HTMLElement; places: Place[]; wasDisabled: boolean };

/** A control that is disabled for longer is not just waiting for a response. */
const ANSWER_MS = 1_000;

/**
 * Restores the focus when the focused element is removed, for the complete document: to its copy
 * elsewhere, to what replaced it or is beside it, otherwise to the page's main part. A control that
 * was disabled during a request gets the focus back with the response.
 */
export function keepFocus(): void {
  let kept: Kept | null = null;
  document.addEventListener('focusin', ({ target }) => {
    kept = target instanceof HTMLElement ? placeOf(target) : null;
  });
  const moveOn = (from: Kept) => {
    if (kept === from && isNowhere() && isGone(from)) {
      refuge(from)?.focus({ preventScroll: true });
    }
  };
  const noteDisabled = (one: Kept) => {
    if (one.wasDisabled) return;
    one.wasDisabled = true;
    setTimeout(moveOn, ANSWER_MS, one);
  };
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    const left = kept;
    if (left === null || relatedTarget !== null || target !== left.element) return;
    queueMicrotask(() => {
      if (kept !== left || !isNowhere() || !left.element.isConnected) return;
      if (isDisabled(left.element)) noteDisabled(left);
      // An element that merely lost the focus, without being removed or disabled, was left on
      // purpose.
      else kept = null;
    });
  });
  const check = () => {
    if (kept === null) return;
    if (isDisabled(kept.element)) noteDisabled(kept);
    if (!isNowhere()) return;
    if (!kept.element.isConnected) moveOn(kept);
    else if (kept.wasDisabled && !isGone(kept)) kept.element.focus({ preventScroll: true });
  };
  new MutationObserver(check).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  });
}

const isGone = ({ element }: Kept) => !element.isConnected || isDisabled(element);
const isNowhere = () => document.activeElement === null || document.activeElement === document.body;
const isDisabled = (element: Element) => element.matches(':disabled');

/** The place of an element at every level, so that it is known after a removal. */
function placeOf(element: HTMLElement): Kept {
  const places: Place[] = [];
  let child: Element = element;
  for (let parent = child.parentElement; parent !== null; parent = child.parentElement) {
    places.push({ parent, child, index: [...parent.children].indexOf(child) });
    child = parent;
  }
  return { element, places, wasDisabled: false };
}

function refuge({ element, places }: Kept): HTMLElement | null {
  const { identifier } = element.dataset;
  const same = identifier && `[data-identifier="${CSS.escape(identifier)}"]`;
  const elsewhere = same ? document.querySelector<HTMLElement>(same) : null;
  if (elsewhere !== null) return elsewhere;
  const main =
    document.querySelector<HTMLElement>('dialog[open]') ?? document.querySelector('main');
  for (const place of places) {
    if (!place.parent.isConnected) continue;
    if (place.parent === document.body || place.parent.contains(main)) break;
    const beside = besideOf(place, element);
    if (beside !== null) return beside;
    if (place.parent === main) break;
  }
  return main;
}

/**
 * The control after the removed child's place, or the one in its position; otherwise the previous
 * one.
 */
function besideOf({ parent, child, index }: Place, element: Element): HTMLElement | null {
  // The page may have been replaced completely: then nothing is beside the element.
  if (parent.tagName === 'MAIN') return null;
  const position = Math.max(0, [...child.querySelectorAll(CONTROLS)].indexOf(element));
  const siblings = [...parent.children];
  for (const sibling of siblings.slice(index)) {
    const controls = controlsOf(sibling);
    if (controls.length > 0) return controls[Math.min(position, controls.length - 1)] ?? null;
  }
  for (const sibling of siblings.slice(0, index).toReversed()) {
    const last = controlsOf(sibling).at(-1);
    if (last !== undefined) return last;
  }
  return null;
}

/** The usable controls in an element; only the element itself where it can have the focus. */
function controlsOf(element: Element): HTMLElement[] {
  const found = element.matches(CONTROLS) ? [element] : [...element.querySelectorAll(CONTROLS)];
  return found.filter(
    (one): one is HTMLElement =>
      one instanceof HTMLElement &&
      one.tabIndex >= 0 &&
      !isDisabled(one) &&
      one.checkVisibility({ visibilityProperty: true }),
  );
}
