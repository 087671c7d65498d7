import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { Link } from '@tanstack/react-router';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { plural } from '../../format/format-count.ts';
import { formatClock, formatDateTime } from '../../format/time.ts';
import { countText, type Folded } from '../../ui/data/fold-quiet.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { useReader } from '../../api/queries.ts';
import { feedLine } from './feed-line.ts';

/** An event as a line; the quiet events before it are behind a button with their number. */
export function FeedRow({ group }: { group: Folded<StreamEvent> }) {
  const [open, setOpen] = useState(false);
  const { first, rest } = group;
  const steps = countText(rest.map((event) => feedLine(event).text));
  return (
    <>
      <FeedLineView event={first}>
        {rest.length > 0 && (
          <button
            type="button"
            class="feed-more"
            aria-expanded={open}
            title={steps}
            onClick={() => setOpen(!open)}
          >
            <Icon name="chevron" size={12} class={open ? 'turned' : ''} />
            {plural(rest.length, 'earlier step')}
            <span class="visually-hidden">: {steps}</span>
          </button>
        )}
      </FeedLineView>
      {open && rest.map((event) => <FeedLineView key={event.seq} event={event} inner />)}
    </>
  );
}

function FeedLineView(props: {
  event: StreamEvent;
  inner?: boolean;
  children?: ComponentChildren;
}) {
  const { event } = props;
  const { icon, tone, text, detail } = feedLine(event, useReader());
  const atMs = Date.parse(event.at);
  const { identifier, attemptId } = event.data;
  return (
    <li class={props.inner ? 'inner' : ''}>
      <time dateTime={event.at} title={formatDateTime(atMs)}>
        {formatClock(atMs)}
      </time>
      <span class={`feed-mark tone-${tone}`}>
        <Icon name={icon} size={14} />
      </span>
      <p class="wrap">
        {typeof identifier === 'string' && (
          <Link
            to="/issues/$id"
            params={{ id: identifier }}
            search={typeof attemptId === 'string' ? { attempt: attemptId } : {}}
            className="mono"
          >
            {identifier}
          </Link>
        )}{' '}
        {text}
        {detail !== '' && (
          <span class="quiet" dir="auto">
            {' '}
            · {detail}
          </span>
        )}
      </p>
      {props.children}
    </li>
  );
}
