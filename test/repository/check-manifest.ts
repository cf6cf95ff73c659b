import fs from 'node:fs';
import path from 'node:path';
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { expect } from 'vitest';

const SCHEMAS = path.join(import.meta.dirname, '../../deploy/fixture/agent-sandbox');

/** Formats that Kubernetes adds to those of JSON Schema. */
const FORMATS = { int32: true, int64: true } as const;

interface Resource {
  readonly kind: string;
  readonly apiVersion: string;
}

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  [more: string]: unknown;
}

/** Makes the schema refuse what it does not know, as `kubectl --validate=strict` does. */
function strict(schema: Schema): Schema {
  const { properties, items } = schema;
  for (const member of Object.values(properties ?? {})) strict(member);
  if (items) strict(items);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined;
  const isTop = properties?.['metadata'] && properties['kind'];
  if (properties && !isOpen) schema.additionalProperties = false;
  if (isTop && properties['metadata']) properties['metadata'] = { type: 'object' };
  if (schema['x-kubernetes-int-or-string']) schema['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
  return schema;
}

/** Makes a validator that knows the formats of Kubernetes and of Compose, which writes durations as Go does. */
export function makeAjv(): Ajv2019 {
  const ajv = new Ajv2019({ strict: false, allErrors: true, formats: FORMATS });
  addFormats.default(ajv);
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  return ajv;
}

/** Returns what is wrong with a resource by the custom resource definitions of Agent Sandbox. */
export function faultsBySchema(resource: Resource): unknown {
  const files = fs.readdirSync(SCHEMAS).filter((name) => name.endsWith('.json'));
  const known = files.map((name) => JSON.parse(fs.readFileSync(path.join(SCHEMAS, name), 'utf8')));
  const found = known.find(({ kind, apiVersion }) => kind === resource.kind && apiVersion === resource.apiVersion);
  if (found === undefined) return `there is no schema of ${resource.apiVersion} ${resource.kind}`;
  const validate = makeAjv().compile(strict(found.schema));
  return validate(resource) ? undefined : validate.errors;
}

const MODELS: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  ...{ ConfigMap, HTTPRoute, Job, Namespace, NetworkPolicy, PersistentVolumeClaim, PodMonitor, PrometheusRule },
  ...{ Service, StatefulSet },
};

/** Copies a value, and notes in `unread` each member that nobody has read yet, by its path. */
function watched<T>(value: T, at: string, unread: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = (Array.isArray(value) ? [] : {}) as Record<string, unknown>;
  for (const [name, member] of Object.entries(value)) {
    const path = `${at}.${name}`;
    const inside = watched(member, path, unread);
    unread.add(path);
    Object.defineProperty(copy, name, {
      enumerable: true,
      get: () => {
        unread.delete(path);
        return inside;
      },
    });
  }
  return copy as T;
}

/** Throws what is wrong with a resource of Kubernetes, as `kubectl --validate=strict` does: a member that its schema has not, too. */
export function checkManifest(resource: Resource): void {
  const Model = MODELS[resource.kind];
  if (Model === undefined) {
    expect(faultsBySchema(resource)).toBeUndefined();
    return;
  }
  const unread = new Set<string>();
  const { validate } = new Model(resource as never);
  // The validators read each member that a schema has, and no other.
  validate.call(Object.setPrototypeOf(watched(resource, resource.kind, unread), Model.prototype));
  expect([...unread]).toEqual([]);
}
