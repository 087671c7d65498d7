import type { ComponentChildren } from 'preact';
import { Page } from '../layout/page.tsx';
import { QueryView, type ShownQuery } from './query-view.tsx';

/** A page that is one list: heading, what it is for, and the list in all its states. */
export function ListPage<T>(props: {
  title: string;
  /** One sentence under the heading. */
  about?: ComponentChildren;
  actions?: ComponentChildren;
  query: ShownQuery<T>;
  /** Left out: something is always there. */
  isEmpty?: (data: T) => boolean;
  /** What to say, and to do, while there is nothing. */
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
