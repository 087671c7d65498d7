import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { errorText } from '../../api/api.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Skeleton } from '../../ui/data/query-view.tsx';
import { useDebounced } from '../../ui/forms/use-debounced.ts';
import { previewDraft } from './queries.ts';

/** Pause in typing after which a preview is requested. */
const PAUSE_MS = 350;

/**
 * The draft as an agent would read it, with examples for the variables; or the error of its
 * rendering.
 */
export function LivePreview({ body }: { body: string }) {
  const settled = useDebounced(body, PAUSE_MS);
  const preview = useQuery({
    queryKey: ['template-preview', settled],
    queryFn: ({ signal }) => previewDraft(settled, signal),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
    refetchInterval: false,
    staleTime: 60_000,
    gcTime: 60_000,
    retry: false,
  });
  return (
    <section class="template-side" aria-label="Preview">
      <span class="side-name">
        Preview with example values
        {body !== settled && <span class="quiet"> …</span>}
      </span>
      {preview.error !== null && (
        <p class="problem" role="alert">
          <Icon name="warning" size={14} /> {errorText(preview.error)}
        </p>
      )}
      {preview.data === undefined && preview.error === null && settled !== '' && (
        <Skeleton lines={6} />
      )}
      {preview.data !== undefined && preview.error === null && (
        <pre class="template-preview" tabIndex={0} dir="auto" aria-label="Rendered prompt">
          {preview.data.rendered}
        </pre>
      )}
    </section>
  );
}
