import type { ComponentChildren } from 'preact';

/** A name and what it stands for, in a list of such. */
export function Fact(props: { name: string; class?: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd class={props.class ?? ''}>{props.children}</dd>
    </div>
  );
}
