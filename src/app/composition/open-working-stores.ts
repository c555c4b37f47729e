import { randomIdentifiers } from '../../../domain/identifiers.ts';
import {
  createChargeUnits,
  createFeedReadStore,
  createKeyUseStore,
  createSharedCounts,
  createWindowCounts,
} from '../../../infra/postgresql/counters/counts.ts';
import { createSourceChecks } from '../../../infra/postgresql/documents/source-checks.ts';
import { createStoredDocuments } from '../../../infra/postgresql/documents/stored-documents.ts';
import { createErasedCopies } from '../../../infra/postgresql/log/erased-copies.ts';
import { createGenerationStore } from '../../../infra/postgresql/read-models/generations.ts';
import { createInletStore } from '../../../infra/postgresql/leases/inlet-store.ts';
import { createInstallationStore } from '../../../infra/postgresql/installation/installation.ts';
import { createLiveReads } from '../../../infra/postgresql/read-models/live-reads.ts';
import { createLogMoves } from '../../../infra/postgresql/installation/log-moves.ts';
import type { Database } from '../../../infra/postgresql/connection/open-database.ts';
import { createPaymentLedger } from '../../../infra/postgresql/counters/payment-ledger.ts';
import { createProcessorStore } from '../../../infra/postgresql/leases/processor-store.ts';
import {
  createReportClaims,
  createReportClientCounts,
  createReportLeases,
  createReportQueue,
} from '../../../infra/postgresql/leases/report-stores.ts';
import { createUnclassifiedItems } from '../../../infra/postgresql/leases/unclassified-items.ts';
import { createWorkingRows } from '../../../infra/postgresql/installation/working-rows.ts';

/** Opens the stores that share the database with the read models. */
export function openWorkingStores({ transactor, countRows, read }: Database, url: string) {
  return {
    generations: createGenerationStore(transactor),
    installation: createInstallationStore(transactor),
    processorStore: createProcessorStore(transactor),
    workingRows: createWorkingRows(transactor),
    logMoves: createLogMoves(transactor),
    paymentLedger: createPaymentLedger(transactor),
    reportLeases: createReportLeases(transactor),
    reportClaims: createReportClaims(countRows),
    reportClients: createReportClientCounts(countRows),
    reportQueue: createReportQueue(transactor),
    windowCounts: createWindowCounts(countRows),
    /** Reads for the statement that admits and charges a request. */
    admissionReads: createLiveReads({ ...read, rows: countRows }),
    chargeUnits: createChargeUnits(countRows),
    storeKeyUse: createKeyUseStore(countRows),
    storeFeedReads: createFeedReadStore(countRows),
    sharedCounts: createSharedCounts(transactor, randomIdentifiers.next()),
    erasedCopies: createErasedCopies(transactor, url),
    inlet: createInletStore(transactor),
    unclassifiedItems: createUnclassifiedItems(transactor),
    storedDocuments: createStoredDocuments(transactor),
    sourceChecks: createSourceChecks(transactor),
  };
}
