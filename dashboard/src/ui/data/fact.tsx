import type { ComponentChildren } from 'preact';

/** One name with its value, in a description list. */
export function Fact(props: { name: string; class?: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd class={props.class ?? ''}>{props.children}</dd>
    </div>
  );
}
