# One image for every process of ours: console, Celery worker, Spark master and Spark worker.

FROM node:24-bookworm-slim AS pages
WORKDIR /build
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci
COPY frontend/ ./
RUN npm run build

FROM python:3.12-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jre-headless \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/lakescope
COPY requirements.lock requirements-uv.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements-uv.lock \
    && uv pip install --system --no-cache --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE manage.py ./
COPY core core
COPY console console
COPY spark_jobs spark_jobs
COPY --from=pages /build/dist frontend/dist
RUN uv pip install --system --no-cache --no-deps --no-build-isolation --editable .

# Named volumes take over the owner of the folder that they are mounted on.
RUN useradd --create-home --uid 1000 lakescope \
    && install --directory --owner lakescope --mode 0700 /data \
    && install --directory --owner lakescope /warehouse
USER lakescope
ENV PYTHONUNBUFFERED=1 \
    LAKESCOPE_DATA=/data \
    PYSPARK_PYTHON=/usr/local/bin/python
# Spark's own launchers, such as spark-class, lie in the package.
ENV PATH=/usr/local/lib/python3.12/site-packages/pyspark/bin:$PATH
EXPOSE 8000
CMD ["gunicorn", "console.wsgi:application", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", "--threads", "16"]
