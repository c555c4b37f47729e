import type { Tracing } from '../domain/ports/tracing.ts';
import type { Admission } from './admit.ts';

/** Tells where admission takes its time; of who is admitted nothing is told. */
export const tracedAdmission = (admission: Admission, tracing: Tracing | null): Admission =>
  tracing === null
    ? admission
    : {
        admit: (presented) =>
          tracing.part({ name: 'admit', kind: 'internal', attributes: { 'civic.surface': presented.surface } }, () =>
            admission.admit(presented),
          ),
        chargeFurther: (...asked) =>
          tracing.part({ name: 'charge further', kind: 'internal', attributes: {} }, () => admission.chargeFurther(...asked)),
        chargeExport: (...asked) =>
          tracing.part({ name: 'charge export', kind: 'internal', attributes: {} }, () => admission.chargeExport(...asked)),
      };
