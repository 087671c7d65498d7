import type { ComponentChildren } from 'preact';
import { Page } from '../layout/page.tsx';
import { QueryView, type ShownQuery } from './query-view.tsx';

/** A page with a single list: heading, purpose, and the list in all its states. */
export function ListPage<T>(props: {
  title: string;
  /** One sentence below the heading. */
  about?: ComponentChildren;
  actions?: ComponentChildren;
  query: ShownQuery<T>;
  /** Left out: the list is never empty. */
  isEmpty?: (data: T) => boolean;
  /** Content for an empty list: a text, and what to do. */
  empty?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}) {
  return (
    <Page title={props.title} actions={props.actions}>
      <div class="column-page wide">
        {props.about !== undefined && <p class="about">{props.about}</p>}
        <QueryView query={props.query} skeletonLines={8}>
          {(data) => (props.isEmpty?.(data) === true ? props.empty : props.children(data))}
        </QueryView>
      </div>
    </Page>
  );
}
