import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import { useQuery } from '@tanstack/react-query';
import { plural } from '../../format/format-count.ts';
import { OptionalPanel } from '../../ui/panel/optional-panel.tsx';
import { hasFiles } from './evidence-labels.ts';
import { FileList } from './file-list.tsx';
import { attemptEvidenceQuery } from './queries.ts';

/** The files that the attempt's agent left for people; nothing where it left none. */
export function AttemptFiles({ attemptId }: { attemptId: string }) {
  return (
    <OptionalPanel
      title="Files for review"
      query={useQuery(attemptEvidenceQuery(attemptId))}
      isEmpty={(evidence: AttemptEvidence) => !hasFiles(evidence)}
      summary={({ files }) => plural(files.length, 'file')}
    >
      {(evidence) => <FileList evidence={evidence} />}
    </OptionalPanel>
  );
}
