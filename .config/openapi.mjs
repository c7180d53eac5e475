/**
 * Makes the OpenAPI document of the console's API from the code: routes from @nestjs/swagger, sentences and types from
 * the compiler. It is part of the build, so that users need neither.
 *
 *   node .config/openapi.mjs
 */
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import ts from 'typescript';

const root = new URL('..', import.meta.url);
const at = (path) => fileURLToPath(new URL(path, root));

const { version } = JSON.parse(ts.sys.readFile(at('package.json')));
const { accessControllers } = await import(at('dist/modules/console/http/access/index.js'));
const { MetaController } = await import(at('dist/modules/console/http/meta.controller.js'));
const { consoleServiceControllers } = await import(at('dist/modules/console/start/services.providers.js'));
const { OlderProblemFilter } = await import(at('dist/modules/console/http/compat/older-answers.js'));
const { OlderServices } = await import(at('dist/modules/console/http/compat/older-calls.js'));
const { OLDER_ROUTE_METADATA } = await import(at('dist/modules/console/http/compat/older-routes.js'));
const controllers = [...accessControllers, ...consoleServiceControllers, MetaController];

/** Paths of the older APIs whose registry centre a header names. */
const CHOOSING = /^\/api\/(?:jobs|servers)(?:\/|$)/;

const types = readTypes();
const document = await routes();
for (const [path, methods] of Object.entries(document.paths)) {
  for (const operation of Object.values(methods)) complete(path, operation);
}
document.components.schemas = types.schemas;
document.components.securitySchemes = {
  token: { type: 'apiKey', in: 'header', name: 'Access-Token' },
  session: { type: 'apiKey', in: 'cookie', name: '__Host-ejc' },
};
document.security = [{ token: [] }, { session: [] }];
writeFileSync(at('dist/openapi.json'), `${JSON.stringify(document)}\n`);

/** The routes of an application whose services are empty, as only the declarations are read. */
async function routes() {
  const tokens = new Set();
  for (const type of [...controllers, OlderProblemFilter, OlderServices])
    for (const { param } of Reflect.getMetadata('self:paramtypes', type) ?? []) tokens.add(param);
  const providers = [...tokens]
    .filter((token) => token?.name !== 'HttpAdapterHost')
    .map((provide) => ({ provide, useValue: {} }));
  class OpenApiModule {}
  Module({ controllers, providers })(OpenApiModule);
  const app = await NestFactory.create(OpenApiModule, { logger: false });
  const config = new DocumentBuilder()
    .setTitle('ElasticJob console')
    .setDescription('Paths are below the path at which the console is mounted.')
    .setVersion(version)
    .build();
  return SwaggerModule.createDocument(app, config, { operationIdFactory: (type, method) => `${type}.${method}` });
}

function complete(path, operation) {
  // One of several paths of a method has a number.
  const id = operation.operationId.replace(/\[\d+\]$/, '');
  const [typeName, methodName] = id.split('.');
  const controller = controllers.find(({ name }) => name === typeName);
  const handler = controller.prototype[methodName];
  const permission = Reflect.getMetadata('elasticjob:permission', handler);
  const older = Reflect.getMetadata(OLDER_ROUTE_METADATA, handler);
  const { summary, body, query = [], answer } = older ?? types.methods.get(id) ?? {};
  const headers = CHOOSING.test(path) ? ['x-registry-center'] : [];
  operation.summary = summary;
  operation['x-permission'] = permission;
  operation.tags = [path.startsWith('/api/v1/') ? (path.split('/')[3] ?? 'api') : 'older APIs'];
  if (permission === 'public') operation.security = [];
  operation.parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter('path', name)),
    ...(operation.parameters ?? []).filter((each) => each.in !== 'path').map((each) => ({ ...each, required: false })),
    ...headers.map((name) => parameter('header', name)),
    ...query.map((name) => parameter('query', name)),
  ];
  if (body !== undefined) operation.requestBody = bodyWith(body);
  const [[status, response]] = Object.entries(operation.responses);
  if (answer !== undefined && status !== '204') response.content = { 'application/json': { schema: answer } };
  response.description = status === '204' ? 'It was done.' : 'The answer.';
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  if (path.startsWith('/api/v1/')) operation.responses.default = { description: 'Why not.', content: problem };
}

function parameter(place, name) {
  return { name, required: place === 'path', in: place, schema: { type: 'string' } };
}

/** A body in which nothing is required may be left out. */
function bodyWith(schema) {
  const { required = [] } = types.schemas[schema.$ref?.split('/').at(-1)] ?? schema;
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

/** The sentences of controllers and the types of the contract, read by the compiler. */
function readTypes() {
  const folder = at('lib/console/');
  const files = ts.sys.readDirectory(folder, ['.ts'], undefined, ['http/**/*.ts', 'contract/*.ts']);
  const options = {
    ...ts.parseJsonConfigFileContent(ts.readConfigFile(at('tsconfig.json'), ts.sys.readFile).config, ts.sys, at('.'))
      .options,
    noEmit: true,
  };
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const schemas = {};
  const methods = new Map();
  const names = new Set();
  for (const file of program.getSourceFiles().filter(({ fileName }) => fileName.includes('/lib/console/contract/')))
    ts.forEachChild(file, (node) => {
      if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) names.add(node.name.text);
    });
  for (const file of program.getSourceFiles().filter(({ fileName }) => fileName.endsWith('.controller.ts')))
    ts.forEachChild(file, (node) => {
      if (!ts.isClassDeclaration(node)) return;
      for (const member of node.members.filter(isRoute))
        methods.set(`${node.name.text}.${member.name.getText()}`, methodOf(member));
    });
  schemaOf(typeNamed('Problem'));
  return { schemas, methods };

  function typeNamed(name) {
    for (const file of program.getSourceFiles())
      for (const statement of file.statements)
        if (
          ts.isInterfaceDeclaration(statement) &&
          statement.name.text === name &&
          file.fileName.includes('/contract/')
        )
          return checker.getTypeAtLocation(statement);
    throw new Error(`There is no type ${name} in the contract.`);
  }

  function isRoute(member) {
    return ts.isMethodDeclaration(member) && !ts.isPrivateIdentifier(member.name);
  }

  function methodOf(member) {
    const symbol = checker.getSymbolAtLocation(member.name);
    const summary = ts.displayPartsToString(symbol.getDocumentationComment(checker)) || undefined;
    const typeOf = (decorator) => {
      const found = member.parameters.find((each) =>
        ts.getDecorators(each)?.some((one) => one.getText() === `@${decorator}()`),
      );
      return found && checker.getTypeAtLocation(found);
    };
    const [body, query] = [typeOf('Body'), typeOf('Query')];
    const signature = checker.getSignatureFromDeclaration(member);
    const returned = checker.getReturnTypeOfSignature(signature);
    const awaited = checker.getAwaitedType(returned) ?? returned;
    const isNothing = (awaited.flags & (ts.TypeFlags.Void | ts.TypeFlags.Unknown | ts.TypeFlags.Never)) !== 0;
    return {
      summary,
      body: body && schemaOf(body),
      query: query && checker.getPropertiesOfType(query).map(({ name }) => name),
      answer: isNothing ? undefined : schemaOf(awaited),
    };
  }

  function schemaOf(type) {
    const name = nameOf(type);
    if (name === undefined) return inline(type);
    if (!(name in schemas)) {
      schemas[name] = {};
      schemas[name] = { ...inline(type), ...described(type.aliasSymbol ?? type.symbol) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Types of the contract have names; those with parameters have them too: `PageOfJobRow`. */
  function nameOf(type) {
    const symbol = type.aliasSymbol ?? type.symbol;
    if (symbol === undefined || !names.has(symbol.name)) return undefined;
    const of = (type.aliasTypeArguments ?? checker.getTypeArguments(type)).filter((each) => !each.isThisType);
    const parameters = of.map((each) => nameOf(each) ?? 'Value');
    return [symbol.name, ...parameters].join('Of');
  }

  function inline(type) {
    if (type.isUnion()) return union(type);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.StringLike) return { type: 'string' };
    if (type.flags & ts.TypeFlags.NumberLike) return { type: 'number' };
    if (type.flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (!(type.flags & ts.TypeFlags.Object) && !type.isIntersection()) return {};
    if (checker.isArrayType(type) || checker.isTupleType(type))
      return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0]) };
    return object(type);
  }

  function union(type) {
    const members = type.types.filter((each) => !(each.flags & ts.TypeFlags.Undefined));
    if (members.every((each) => each.isStringLiteral()))
      return { type: 'string', enum: members.map(({ value }) => value) };
    if (members.every((each) => each.flags & ts.TypeFlags.BooleanLike)) return { type: 'boolean' };
    const [only] = members;
    return members.length === 1 ? schemaOf(only) : { anyOf: members.map(schemaOf) };
  }

  function object(type) {
    const properties = checker.getPropertiesOfType(type).filter((each) => !each.name.startsWith('__@'));
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const required = properties.filter((each) => !(each.flags & ts.SymbolFlags.Optional)).map((each) => each.name);
    return {
      type: 'object',
      ...(properties.length > 0 && {
        properties: Object.fromEntries(
          properties.map((each) => [
            each.name,
            { ...schemaOf(checker.getNonNullableType(checker.getTypeOfSymbol(each))), ...described(each) },
          ]),
        ),
      }),
      ...(required.length > 0 && { required }),
      ...(index && { additionalProperties: schemaOf(index.type) }),
    };
  }

  function described(symbol) {
    const description = symbol && ts.displayPartsToString(symbol.getDocumentationComment(checker));
    return description ? { description } : {};
  }
}
