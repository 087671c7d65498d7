import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** A page's heading row and body. `fixed` pages fill the window and scroll inside. */
export function Page(props: {
  title: string;
  heading?: ComponentChildren;
  actions?: ComponentChildren;
  fixed?: boolean;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${props.title} · Switchyard`;
  }, [props.title]);
  return (
    <div class={props.fixed ? 'page fixed' : 'page'}>
      <header class="page-head">
        {props.heading ?? <h1>{props.title}</h1>}
        {props.actions !== undefined && <div class="page-actions">{props.actions}</div>}
      </header>
      {props.children}
    </div>
  );
}
