const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

type Place = { parent: Element; child: Element; index: number };
type Kept = { element: HTMLElement; places: Place[]; wasDisabled: boolean };

/** A control that stays disabled for longer is not only waiting for an answer. */
const ANSWER_MS = 1_000;

/**
 * Puts the focus back when the page takes away what had it, for the whole document: to the same
 * thing elsewhere, to what took its place or stands beside it, else to the page's main part. A
 * control that was disabled while its answer was awaited gets it back with the answer.
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
      // What only lost it, rather than being gone or disabled, was left on purpose.
      else kept = null;
    });
  });
  const look = () => {
    if (kept === null) return;
    if (isDisabled(kept.element)) noteDisabled(kept);
    if (!isNowhere()) return;
    if (!kept.element.isConnected) moveOn(kept);
    else if (kept.wasDisabled && !isGone(kept)) kept.element.focus({ preventScroll: true });
  };
  new MutationObserver(look).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  });
}

const isGone = ({ element }: Kept) => !element.isConnected || isDisabled(element);
const isNowhere = () => document.activeElement === null || document.activeElement === document.body;
const isDisabled = (element: Element) => element.matches(':disabled');

/** Where an element stands, level by level, so that its place is known once it is gone. */
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

/** The control that follows where the child stood, of several the one in its position; or before. */
function besideOf({ parent, child, index }: Place, element: Element): HTMLElement | null {
  // What it stood among may be drawn anew altogether: then nothing is beside it.
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

/** What a person could use of an element now; only itself where it can have the focus. */
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
