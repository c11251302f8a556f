# Prints its targets when called without one. Each works from a fresh clone.
.DEFAULT_GOAL := help
.PHONY: help setup run test lint types fmt openapi docs bench crowd pictures evidence integration newest-jars interop fuzz fuzz-api soak locks kafka hdfs

PYTHON := .venv/bin/python
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Where slow tests are: to collect all others would take as long as to run these.
SLOW = $(shell grep -rl --include='test_*.py' 'mark\.slow' tests)
UV_COMPILE := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

# What a target finds missing in a fresh clone.
fmt openapi docs bench crowd pictures evidence fuzz fuzz-api soak locks: | .venv/bin/pytest
fmt openapi: | frontend/node_modules

.venv/bin/pytest:
	./test setup

frontend/node_modules: | .venv/bin/pytest
	cd frontend && npm ci --no-audit --no-fund

help: ## print the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  %-12s %s\n", $$1, $$2}'

setup: ## install all that development and tests need
	./test setup

run: ## start the console with its demo warehouse
	./run

test: ## everything that CI runs
	./test

lint: ## formatting, lint and the layers between packages
	./test lint

types: ## mypy on core, spark_jobs and console
	./test types

fmt: ## format Python and the frontend
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .
	cd frontend && npm run fmt

openapi: ## write docs/openapi.json and the frontend's types from the code
	$(PYTHON) manage.py openapi
	cd frontend && npm run api:types

docs: ## check that what docs/ names exists
	$(PYTHON) -m pytest -q tests/docs

bench: ## rows a second and peak memory of plan, read, write and compaction
	$(PYTHON) -m bench

crowd: ## the console's budgets and fifty people at it, on SQLite and PostgreSQL (installed if missing), into docs/performance.md: 12 minutes
	./test crowd

pictures: ## every page in light, dark, English, Chinese, empty, in error and with 100,000 rows, into build/pictures: 15 minutes
	$(PYTHON) -m tests.browser.pictures

evidence: ## what the API says of every reference table beside what the Paimon that wrote it says: a few minutes
	HYPOTHESIS_PROFILE=long $(PYTHON) -m pytest -q tests/console/test_reference_tables.py

integration: ## all processes of docker-compose.yml with PostgreSQL and Redis, installed if missing; Spark's clusters at length
	./test integration

newest-jars: | .venv/bin/pytest ## compile the newest Java Paimon for Spark from SOURCE=, a clone of its repository, for LAKESCOPE_PAIMON_JARS: ten minutes
	@test -n "$(SOURCE)" || { echo "Which source? make newest-jars SOURCE=path/of/a/clone/of/apache/paimon" >&2; exit 2; }
	$(PYTHON) -m tests.interop.build_newest "$(SOURCE)"

interop: ## tests against real Paimon, the newest too (CONTRIBUTING), with 20 times as many generated histories
	HYPOTHESIS_PROFILE=long ./test interop newest

kafka: | .venv/bin/pytest ## a stream from a real broker of Kafka whose driver is killed; takes Maven: three minutes
	@command -v mvn >/dev/null || { echo "Maven fetches the broker and Spark's Kafka package: install mvn (Debian: maven)" >&2; exit 2; }
	for jars in broker connector; do \
		mvn -q -B -f tests/soak/kafka/$$jars.xml org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
			-DoutputDirectory="$(CURDIR)/build/kafka/$$jars" || exit 1; \
	done
	LAKESCOPE_KAFKA_JARS="$(CURDIR)/build/kafka" $(PYTHON) -m pytest -q tests/soak/kafka

hdfs: | .venv/bin/pytest ## the contract of catalogs in a real HDFS; takes Maven: two minutes
	@command -v mvn >/dev/null || { echo "Maven fetches Hadoop's small cluster: install mvn (Debian: maven)" >&2; exit 2; }
	mvn -q -B -f tests/interop/drivers/hdfs/pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
		-DoutputDirectory="$(CURDIR)/build/hdfs"
	LAKESCOPE_HDFS_JARS="$(CURDIR)/build/hdfs" $(PYTHON) -m pytest -q tests/core/catalog/contract -k HDFS

fuzz: ## 20 minutes of property tests with twice the examples of ./test, then atheris, half a minute for each decoder: 35 minutes in all
	$(PYTHON) -m tests.fuzz.properties 20
	.venv/bin/uv pip install --quiet --python $(PYTHON) --require-hashes -r requirements-fuzz.lock
	$(PYTHON) -m tests.fuzz 30

fuzz-api: ## 2,000 requests made from docs/openapi.json, 400 as each member of the cast: five minutes
	LAKESCOPE_API_EXAMPLES=400 $(PYTHON) -m pytest -q tests/console/test_any_request.py

soak: ## eight processes on one table for a minute, deaths at every change to a store, streams that are killed and stopped, a pipeline for three minutes, ten rounds of the slow tests
	LAKESCOPE_SOAK_SECONDS=60 $(PYTHON) -m pytest -q -s tests/soak/test_concurrent_commits.py tests/soak/test_memory.py
	LAKESCOPE_SOAK_SECONDS=60 $(PYTHON) -m pytest -q -n 2 tests/core/test_crashes.py tests/soak/test_killed.py
	LAKESCOPE_SOAK_SECONDS=60 $(PYTHON) -m pytest -q tests/soak/test_killed_services.py tests/console/jobs/test_killed_spark_drivers.py
	$(PYTHON) -m tests.soak.killed_streams 50
	$(PYTHON) -m tests.soak.stopped_streams 50
	$(PYTHON) -m spark_jobs.examples.widening --seconds 180
	for round in 1 2 3 4 5 6 7 8 9 10; do $(PYTHON) -m pytest -q -m slow $(SLOW) || exit 1; done

locks: ## resolve every requirements*.lock again from pyproject.toml
	$(UV_COMPILE) pyproject.toml --all-extras --group build -o requirements.lock
	$(UV_COMPILE) pyproject.toml --all-extras --group build --group dev -c requirements.lock -o requirements-dev.lock
	for group in uv jdk node fuzz pypaimon pypaimon-rust spark-paimon seaweedfs moto; do \
		$(UV_COMPILE) --group pyproject.toml:$$group -o requirements-$$group.lock || exit 1; \
	done
	$(UV_COMPILE) --no-deps --group pyproject.toml:paimon-java -o requirements-paimon-java.lock
