import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../ui/marks/icon.tsx';
import { useNarrow } from '../../../ui/layout/use-narrow.ts';

/** Collapses banners on a phone to the first one's line, which expands to all of them. */
export function BannerFold({ children }: { children: ComponentChildren }) {
  const narrow = useNarrow();
  const list = useRef<HTMLDivElement>(null);
  const count = useChildCount(list);
  const [open, setOpen] = useState(false);
  const folded = narrow && !open;
  return (
    <div class={folded ? 'banners folded' : 'banners'}>
      <div ref={list} class="banner-list">
        {children}
      </div>
      {narrow && count > 0 && (
        <button
          type="button"
          class="banner-toggle"
          aria-expanded={open}
          aria-label={open ? 'Show one line' : toggleText(count)}
          onClick={() => setOpen(!open)}
        >
          {count > 1 && !open && <span>{count}</span>}
          <Icon name="chevron" size={14} class={open ? 'opened' : ''} />
        </button>
      )}
    </div>
  );
}

function toggleText(count: number): string {
  return count === 1 ? 'Show the whole notice' : `Show all ${count} notices`;
}

/** Current number of an element's children, each of which decides by itself whether it is shown. */
function useChildCount(parent: { current: HTMLElement | null }): number {
  const [count, setCount] = useState(0);
  useLayoutEffect(() => {
    const element = parent.current;
    if (element === null) return;
    const read = () => setCount(element.childElementCount);
    read();
    const observer = new MutationObserver(read);
    observer.observe(element, { childList: true });
    return () => observer.disconnect();
  }, [parent]);
  return count;
}
